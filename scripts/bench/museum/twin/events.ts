import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsyncTypebox, Static } from '@fastify/type-provider-typebox';
import { sql } from 'kysely';
import { daysAfter, today } from '../../../../examples/museum/src/days.ts';
import { pageOf } from '../../../../examples/museum/src/pages.ts';
import { staffOnly } from './authentication.ts';
import type { Database } from './database.ts';
import { HttpError } from './errors.ts';
import * as schemas from './schemas.ts';
import type { Publish } from './webhooks.ts';

const selectEvents = (db: Database) =>
  db
    .selectFrom('event')
    .selectAll()
    .select(({ selectFrom }) =>
      selectFrom('event_date')
        .whereRef('event_id', '=', 'event.id')
        .select(sql<string>`json_group_array(date ORDER BY position)`.as('dates'))
        .as('dates'),
    );
type EventRow = Awaited<ReturnType<ReturnType<typeof selectEvents>['executeTakeFirstOrThrow']>>;

const toEvent = ({ id, name, location, description, price, dates }: EventRow) => ({
  ...{ eventId: id, name, location, eventDescription: description, price },
  dates: JSON.parse(dates ?? '[]'),
});

/** The event with an id. Throws a 404 if there is none. */
export const findEvent = async (db: Database, id: string) => {
  const row = await selectEvents(db).where('id', '=', id).executeTakeFirst();
  if (!row) throw new HttpError(404, 'there is no such event');
  return { event: toEvent(row), version: row.version };
};

const writeDates = async (db: Database, event_id: string, dates: readonly string[]): Promise<void> => {
  await db.deleteFrom('event_date').where('event_id', '=', event_id).execute();
  const rows = dates.map((date, position) => ({ event_id, position, date }));
  if (rows.length > 0) await db.insertInto('event_date').values(rows).execute();
};

const etagOf = (version: number): string => `"${version}"`;

/** Whether a list of entity tags has one. Weak ones count only where that is said (RFC 9110, section 8.8.3.2). */
const hasTag = (list: string, tag: string, weakToo: boolean): boolean =>
  list.trim() === '*' ||
  list.split(',').some((each) => (weakToo ? each.trim().replace(/^W\//, '') : each.trim()) === tag);

const checkVersion = (ifMatch: string | undefined, version: number): void => {
  if (ifMatch !== undefined && !hasTag(ifMatch, etagOf(version), false))
    throw new HttpError(412, 'the event has changed since you read it');
};

const encodeCursor = (created: number, id: string): string =>
  Buffer.from(JSON.stringify([created, id])).toString('base64url');

const decodeCursor = (cursor: string): [created: number, id: string] => {
  try {
    const [created, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof created === 'number' && typeof id === 'string') return [created, id];
  } catch {}
  throw new HttpError(400, 'the cursor is not one of this service');
};

const listEvents = async (
  db: Database,
  {
    startDate: from = today(),
    endDate: to = daysAfter(from, 7),
    cursor,
    page,
    limit,
  }: Static<typeof schemas.EventsQuery>,
) => {
  const { skipped, count } = pageOf(cursor === undefined ? page : 1, limit);
  let query = selectEvents(db)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('event_date')
          .select('position')
          .whereRef('event_id', '=', 'event.id')
          .where('date', '>=', from)
          .where('date', '<=', to),
      ),
    )
    .orderBy('created')
    .orderBy('id')
    .limit(count + 1)
    .offset(skipped);
  if (cursor !== undefined) {
    const [created, id] = decodeCursor(cursor);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('created', 'id'), '>', tuple(created, id)));
  }
  const found = await query.execute();
  const rows = found.slice(0, count);
  const last = found.length > count ? rows.at(-1) : undefined;
  const next =
    last && `?startDate=${from}&endDate=${to}&limit=${count}&cursor=${encodeCursor(last.created, last.id)}`;
  return { events: rows.map(toEvent), next };
};

/** The routes of special events. */
export const eventRoutes =
  (db: Database, publish: Publish): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.get(
      '/special-events',
      { schema: { querystring: schemas.EventsQuery, response: { 200: schemas.SpecialEvents } } },
      async ({ query }, reply) => {
        const { events, next } = await listEvents(db, query);
        if (next) reply.header('link', `<${next}>; rel="next"`);
        return events;
      },
    );

    app.post(
      '/special-events',
      { onRequest: staffOnly, schema: { body: schemas.NewEvent, response: { 201: schemas.SpecialEvent } } },
      async ({ body: { name, location, eventDescription, dates, price } }, reply) => {
        const eventId = randomUUID();
        const event = { eventId, name, location, eventDescription, dates, price };
        const row = { id: eventId, name, location, description: eventDescription, price };
        await db.transaction().execute(async (tx) => {
          await tx
            .insertInto('event')
            .values({ ...row, created: Date.now(), version: 1 })
            .execute();
          await writeDates(tx, eventId, dates);
          await publish(tx, event);
        });
        return reply.code(201).header('etag', etagOf(1)).send(event);
      },
    );

    app.get(
      '/special-events/:eventId',
      {
        schema: {
          params: schemas.EventParams,
          response: { 200: schemas.SpecialEvent, 304: schemas.NotModified },
        },
      },
      async ({ params: { eventId }, headers: { 'if-none-match': known } }, reply) => {
        const { event, version } = await findEvent(db, eventId);
        reply.header('etag', etagOf(version));
        if (known !== undefined && hasTag(known, etagOf(version), true)) return reply.code(304).send(null);
        return event;
      },
    );

    app.patch(
      '/special-events/:eventId',
      {
        onRequest: staffOnly,
        schema: {
          params: schemas.EventParams,
          body: schemas.EventChanges,
          response: { 200: schemas.SpecialEvent },
        },
      },
      async ({ params: { eventId }, headers, body }, reply) => {
        const { event, version } = await db.transaction().execute(async (tx) => {
          const held = await findEvent(tx, eventId);
          checkVersion(headers['if-match'], held.version);
          const { name, location, eventDescription: description, price } = { ...held.event, ...body };
          const row = { name, location, description, price, version: held.version + 1 };
          await tx.updateTable('event').set(row).where('id', '=', eventId).execute();
          if (body.dates) await writeDates(tx, eventId, body.dates);
          const changed = await findEvent(tx, eventId);
          await publish(tx, changed.event);
          return changed;
        });
        return reply.header('etag', etagOf(version)).send(event);
      },
    );

    app.delete(
      '/special-events/:eventId',
      { onRequest: staffOnly, schema: { params: schemas.EventParams } },
      async ({ params: { eventId }, headers }, reply) => {
        await db.transaction().execute(async (tx) => {
          const { version } = await findEvent(tx, eventId);
          checkVersion(headers['if-match'], version);
          await tx.deleteFrom('event').where('id', '=', eventId).execute();
          await tx
            .updateTable('ticket')
            .set({ state: 'refunded' })
            .where('event_id', '=', eventId)
            .where('state', '=', 'sold')
            .execute();
        });
        return reply.code(204).send();
      },
    );
  };
