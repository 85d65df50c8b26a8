/** fastify-openapi-glue as its README shows, with one handler for the operation and one for the security scheme. */
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { announce, isAuthorized } from '../servers/settings.ts';
import { create, type SentPlant, toError, toPlant } from '../servers/single-commits.ts';
import { CONTRACT_FILE } from './contract.ts';

const app = Fastify();

app.setErrorHandler<Error & { statusCode?: number }>(({ statusCode = 500, message }, _request, reply) =>
  reply.code(statusCode).send(toError(statusCode, message)),
);

await app.register(openapiGlue, {
  specification: CONTRACT_FILE,
  serviceHandlers: {
    async createPlant({ body }: FastifyRequest<{ Body: SentPlant }>, reply: FastifyReply) {
      if (create(body)) return toPlant(body);
      return reply.code(409).send(toError(409, `another plant has id ${body.id}`));
    },
  },
  securityHandlers: {
    async bearerAuth(request: FastifyRequest) {
      if (!isAuthorized(request.headers.authorization)) throw new Error('the bearer token is not valid');
    },
  },
});

announce(await app.listen({ host: '127.0.0.1', port: 0 }));
