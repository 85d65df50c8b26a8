import { randomUUID } from 'node:crypto';
import { Problem } from '@trellis/server';
import type { Transaction } from 'kysely';
import type { Handler } from '../../generated/handler.ts';
import { findEvent } from '../events.ts';
import type { Store, Tables } from '../store.ts';

/** How many tickets are sold for one date of an event. */
const SEATS = 20n;

const countSold = async (tx: Transaction<Tables>, eventId: string, date: string): Promise<bigint> => {
  const { sold } = await tx
    .selectFrom('ticket')
    .select(({ fn }) => fn.countAll<bigint>().as('sold'))
    .where('event_id', '=', eventId)
    .where('type', '=', 'event') // general entry takes no seat
    .where('date', '=', date)
    .where('state', '<>', 'refunded')
    .executeTakeFirstOrThrow();
  return sold;
};

/** Throws if no ticket for an event can be sold. */
const checkSeats = async (tx: Transaction<Tables>, eventId: string, date: string): Promise<void> => {
  const { event } = await findEvent(tx, eventId);
  if (!event.dates.includes(date)) throw new Problem(40901, 'the event is not on that date');
  if ((await countSold(tx, eventId, date)) >= SEATS)
    throw new Problem(40901, 'the event is sold out on that date');
};

/** POST /tickets: sells a ticket. Transactions are serializable, so no seat is sold twice. */
export const buyMuseumTickets =
  ({ transaction }: Store): Handler<'buyMuseumTickets'> =>
  async ({ body: { ticketType, ticketDate, eventId, email }, principal }) => {
    const [ticketId, secret] = [randomUUID(), randomUUID()];
    const confirmationCode = `ticket-${ticketType}-${secret.slice(0, 8)}-${secret.slice(24)}`;
    const row = {
      id: ticketId,
      type: ticketType,
      date: ticketDate,
      event_id: eventId ?? null,
      email: email ?? null,
      code: confirmationCode,
      buyer: principal.name,
      state: 'sold' as const,
    };
    await transaction(async (tx) => {
      if (ticketType === 'event' && eventId !== undefined) await checkSeats(tx, eventId, ticketDate);
      await tx.insertInto('ticket').values(row).execute();
    });
    const what = ticketType === 'event' ? 'special event' : 'general entry';
    const ticket = { ticketId, ticketType, ticketDate, ...(eventId !== undefined && { eventId }) };
    return { status: 201, body: { ...ticket, message: `Museum ${what} ticket purchased`, confirmationCode } };
  };
