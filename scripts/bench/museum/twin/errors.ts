import { STATUS_CODES } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** An error that the client is told of. */
export class HttpError extends Error {
  readonly statusCode: number;

  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Answers every error as RFC 9457 says. Of what went wrong inside, a client learns nothing. */
export const answerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler<Error & { statusCode?: number }>(({ statusCode = 500, message }, _request, reply) =>
    reply
      .code(statusCode)
      .type('application/problem+json')
      .send({
        type: 'about:blank',
        title: STATUS_CODES[statusCode],
        status: statusCode,
        ...(statusCode < 500 && { detail: message }),
      }),
  );
  app.setNotFoundHandler(() => {
    throw new HttpError(404, 'there is nothing here');
  });
};
