import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Selectable } from 'kysely';
import { drawCode } from '../../../../examples/museum/src/ticket-code.ts';
import { staffOnly } from './authentication.ts';
import type { Database, Tables } from './database.ts';
import { HttpError } from './errors.ts';
import { findEvent } from './events.ts';
import * as schemas from './schemas.ts';

/** How many tickets are sold for one date of an event. */
const SEATS = 20;

/** Throws if no ticket for an event can be sold. */
const checkSeats = async (tx: Database, eventId: string, date: string): Promise<void> => {
  const { event } = await findEvent(tx, eventId);
  if (!event.dates.includes(date)) throw new HttpError(409, 'the event is not on that date');
  const { sold } = await tx
    .selectFrom('ticket')
    .select(({ fn }) => fn.countAll<number>().as('sold'))
    .where('event_id', '=', eventId)
    .where('date', '=', date)
    .where('state', '<>', 'refunded')
    .executeTakeFirstOrThrow();
  if (sold >= SEATS) throw new HttpError(409, 'the event is sold out on that date');
};

const toTicket = ({ id, type, date, event_id, state }: Selectable<Tables['ticket']>) => ({
  ...{ ticketId: id, ticketType: type, ticketDate: date, state },
  ...(event_id !== null && { eventId: event_id }),
});

/** A ticket, for staff and for who has bought it. Throws a 404 for others. */
const findTicket = async (db: Database, id: string, user: FastifyRequest['user']) => {
  const ticket = await db.selectFrom('ticket').selectAll().where('id', '=', id).executeTakeFirst();
  if (ticket && (user?.isStaff || ticket.buyer === user?.name)) return ticket;
  throw new HttpError(404, 'there is no such ticket');
};

/** The routes of tickets. */
export const ticketRoutes =
  (db: Database): FastifyPluginAsyncTypebox =>
  async (app) => {
    app.post(
      '/tickets',
      { schema: { body: schemas.NewTicket, response: { 201: schemas.Confirmation } } },
      async ({ body: { ticketType, ticketDate, eventId, email }, user }, reply) => {
        const [ticketId, secret] = [randomUUID(), randomUUID()];
        const confirmationCode = `ticket-${ticketType}-${secret.slice(0, 8)}-${secret.slice(24)}`;
        const row = {
          ...{ id: ticketId, type: ticketType, date: ticketDate, event_id: eventId ?? null },
          ...{
            email: email ?? null,
            code: confirmationCode,
            buyer: user?.name ?? '',
            state: 'sold' as const,
          },
        };
        await db.transaction().execute(async (tx) => {
          if (eventId !== undefined) await checkSeats(tx, eventId, ticketDate);
          await tx.insertInto('ticket').values(row).execute();
        });
        const message = `Museum ${ticketType === 'event' ? 'special event' : 'general entry'} ticket purchased`;
        const ticket = { ticketId, ticketType, ticketDate, ...(eventId !== undefined && { eventId }) };
        return reply.code(201).send({ ...ticket, message, confirmationCode });
      },
    );

    app.get(
      '/tickets/:ticketId',
      { schema: { params: schemas.TicketParams, response: { 200: schemas.SoldTicket } } },
      async ({ params, user }) => toTicket(await findTicket(db, params.ticketId, user)),
    );

    for (const [path, state, onRequest] of [
      ['use', 'used', [staffOnly]],
      ['refund', 'refunded', []],
    ] as const)
      app.post(
        `/tickets/:ticketId/${path}`,
        {
          onRequest: [...onRequest],
          schema: { params: schemas.TicketParams, response: { 200: schemas.SoldTicket } },
        },
        async ({ params, user }) =>
          db.transaction().execute(async (tx) => {
            const ticket = await findTicket(tx, params.ticketId, user);
            if (ticket.state !== 'sold')
              throw new HttpError(409, `the ticket is ${ticket.state}, so it cannot be ${state}`);
            await tx.updateTable('ticket').set({ state }).where('id', '=', ticket.id).execute();
            return toTicket({ ...ticket, state });
          }),
      );

    app.get(
      '/tickets/:ticketId/qr',
      { schema: { params: schemas.TicketParams } },
      async ({ params, user }, reply) => {
        const { code } = await findTicket(db, params.ticketId, user);
        return reply.type('image/png').send(drawCode(code));
      },
    );
  };
