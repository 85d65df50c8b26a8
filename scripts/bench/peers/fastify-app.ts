/**
 * Fastify 5 as its guide shows, with schemas for bodies (validated by Ajv) and replies (written by
 * fast-json-stringify).
 */
import Fastify from 'fastify';
import { announce, isAuthorized } from '../servers/settings.ts';
import { type SentPlant, toError, toPlant } from '../servers/single-commits.ts';

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

/** Listens. `create` stores a plant and returns false if another plant has its id. */
export const serveByFastify = async (create: (plant: SentPlant) => boolean | Promise<boolean>) => {
  app.post<{ Body: SentPlant }>(
    '/plants',
    { schema: { body: newPlant, response: { 200: plant, '4xx': error, '5xx': error } } },
    async ({ body }, reply) => {
      if (await create(body)) return toPlant(body);
      return reply.code(409).send(toError(409, `another plant has id ${body.id}`));
    },
  );
  announce(await app.listen({ host: '127.0.0.1', port: 0 }));
};
