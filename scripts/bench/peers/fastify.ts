/**
 * Fastify 5 as its guide shows, with schemas for bodies (validated by Ajv) and replies (written by
 * fast-json-stringify), and a commit for each request, or group commit as a good engineer would write it who needs no
 * log and no metrics.
 */
import Fastify from 'fastify';
import { create, createTogether, type SentPlant, toError, toPlant } from '../servers/commits.ts';
import { announce, isAuthorized } from '../servers/settings.ts';

const app = Fastify();

const plant = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, tag: { type: 'string' } },
};
const error = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'integer' }, message: { type: 'string' } },
};
const newPlant = {
  type: 'object',
  required: ['name', 'id'],
  properties: { ...plant.properties, id: { type: 'integer' } },
};

app.setErrorHandler<Error & { statusCode?: number }>(({ statusCode = 500, message }, _request, reply) =>
  reply.code(statusCode).send(toError(statusCode, message)),
);

app.addHook('onRequest', async (request, reply) => {
  if (!isAuthorized(request.headers.authorization))
    return reply.code(401).send(toError(401, 'the bearer token is not valid'));
});

const store = process.env.COMMITS === 'group' ? createTogether : create;

app.post<{ Body: SentPlant }>(
  '/plants',
  { schema: { body: newPlant, response: { 200: plant, '4xx': error, '5xx': error } } },
  async ({ body }, reply) => {
    if (await store(body)) return toPlant(body);
    return reply.code(409).send(toError(409, `another plant has id ${body.id}`));
  },
);

announce(await app.listen({ host: '127.0.0.1', port: 0 }));
