/**
 * Express 5 with express-openapi-validator as its README and guide show. Responses are not validated, which is its default
 * and faster.
 */
import { createServer } from 'node:http';
import express, { type ErrorRequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { isAuthorized, listen } from '../servers/settings.ts';
import { create, toError, toPlant } from '../servers/single-commits.ts';
import { CONTRACT_FILE } from './contract.ts';

const app = express();

app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: CONTRACT_FILE,
    validateRequests: true,
    validateSecurity: { handlers: { bearerAuth: ({ headers }) => isAuthorized(headers.authorization) } },
  }),
);

app.post('/plants', ({ body }, response) => {
  if (create(body)) response.json(toPlant(body));
  else response.status(409).json(toError(409, `another plant has id ${body.id}`));
});

const replyToError: ErrorRequestHandler = ({ status = 500, message }, _request, response, _next) => {
  response.status(status).json(toError(status, message));
};
app.use(replyToError);

listen(createServer(app));
