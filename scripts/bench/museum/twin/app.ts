import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import Fastify from 'fastify';
import { openDays, today } from '../../../../examples/museum/src/days.ts';
import { pageOf } from '../../../../examples/museum/src/pages.ts';
import { authenticate } from './authentication.ts';
import type { Database } from './database.ts';
import { answerErrors } from './errors.ts';
import { eventRoutes } from './events.ts';
import { HoursQuery, MuseumHours } from './schemas.ts';
import { ticketRoutes } from './tickets.ts';
import type { Publish } from './webhooks.ts';

/** A text is a number in a query, and never in a body, so each has a validator of its own, as Fastify documents it. */
const createValidator = (coerceTypes: boolean): Ajv => {
  const ajv = new Ajv({ coerceTypes, useDefaults: true, allErrors: true });
  addFormats.default(ajv);
  return ajv;
};

/** The museum on a database, for users as `authenticate` has them. */
export const createApp = async (db: Database, users: string, publish: Publish) => {
  const app = Fastify({ bodyLimit: 102_400 }).withTypeProvider<TypeBoxTypeProvider>();
  const [strict, coercing] = [createValidator(false), createValidator(true)];
  app.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === 'body' ? strict : coercing).compile(schema),
  );
  answerErrors(app);
  await authenticate(app, users);
  app.get(
    '/museum-hours',
    { schema: { querystring: HoursQuery, response: { 200: MuseumHours } } },
    async ({ query: { startDate = today(), page, limit } }) => {
      const { skipped, count } = pageOf(page, limit);
      return openDays(startDate, skipped, count);
    },
  );
  await app.register(eventRoutes(db, publish));
  await app.register(ticketRoutes(db));
  return app;
};
