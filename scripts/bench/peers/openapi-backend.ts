/** Express 5 with openapi-backend as its README shows, with handlers for refused requests. */
import { createServer } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { type Request as ApiRequest, type Context, OpenAPIBackend } from 'openapi-backend';
import { isAuthorized, listen } from '../servers/settings.ts';
import { create, type SentPlant, toError, toPlant } from '../servers/single-commits.ts';
import { readContract } from './contract.ts';

const app = express();

const api = new OpenAPIBackend({ definition: readContract() });
api.register({
  createPlant: ({ request }: Context<SentPlant>, _request: Request, response: Response) => {
    const plant = request.requestBody;
    if (create(plant)) response.status(200).json(toPlant(plant));
    else response.status(409).json(toError(409, `another plant has id ${plant.id}`));
  },
  validationFail: ({ validation }: Context, _request: Request, response: Response) => {
    const reasons = validation.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`);
    response.status(400).json(toError(400, reasons?.join('; ') ?? 'does not match the schema'));
  },
  unauthorizedHandler: (_context: Context, _request: Request, response: Response) => {
    response.status(401).json(toError(401, 'the bearer token is not valid'));
  },
  notFound: (_context: Context, _request: Request, response: Response) => {
    response.status(404).json(toError(404, 'there is nothing here'));
  },
});
api.registerSecurityHandler('bearerAuth', ({ request }) => isAuthorized(request.headers.authorization));
await api.init();

app.use(express.json());
// Its own TypeScript example has this cast.
app.use((request, response) => api.handleRequest(request as ApiRequest, request, response));

const replyToError: ErrorRequestHandler = ({ status = 500, message }, _request, response, _next) => {
  response.status(status).json(toError(status, message));
};
app.use(replyToError);

listen(createServer(app));
