import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Handler, OperationReply, RequestBody } from '../../generated/handler.ts';
import { findEvent } from '../events.ts';
import { problem } from '../problems.ts';
import type { Store, Tables } from '../store.ts';

/** How many tickets are sold for one date of an event. */
const SEATS = 20n;

const refuse = (title: string): OperationReply<'buyMuseumTickets'> => ({ status: 400, body: problem(title) });

const countSold = async (tx: Transaction<Tables>, eventId: string, date: string): Promise<bigint> => {
  const { sold } = await tx
    .selectFrom('ticket')
    .select(({ fn }) => fn.countAll<bigint>().as('sold'))
    .where('event_id', '=', eventId)
    .where('date', '=', date)
    .executeTakeFirstOrThrow();
  return sold;
};

/** Why a ticket for an event cannot be sold; nothing if it can. */
const findObstacle = async (
  tx: Transaction<Tables>,
  eventId: string,
  date: string,
): Promise<OperationReply<'buyMuseumTickets'> | undefined> => {
  const event = await findEvent(tx, eventId);
  if (!event) return { status: 404, body: problem('There is no such event') };
  if (!event.dates.includes(date)) return refuse('The event is not on that date');
  return (await countSold(tx, eventId, date)) < SEATS
    ? undefined
    : refuse('The event is sold out on that date');
};

const sell = async (
  tx: Transaction<Tables>,
  { ticketType, ticketDate, eventId, email }: RequestBody<'buyMuseumTickets'>,
): Promise<OperationReply<'buyMuseumTickets'>> => {
  const obstacle = eventId === undefined ? undefined : await findObstacle(tx, eventId, ticketDate);
  if (obstacle) return obstacle;
  const [ticketId, secret] = [randomUUID(), randomUUID()];
  const confirmationCode = `ticket-${ticketType}-${secret.slice(0, 8)}-${secret.slice(24)}`;
  const row = {
    type: ticketType,
    date: ticketDate,
    event_id: eventId ?? null,
    email,
    code: confirmationCode,
  };
  await tx
    .insertInto('ticket')
    .values({ id: ticketId, ...row })
    .execute();
  const what = ticketType === 'event' ? 'special event' : 'general entry';
  const ticket = { ticketId, ticketType, ticketDate, ...(eventId !== undefined && { eventId }) };
  return { status: 201, body: { ...ticket, message: `Museum ${what} ticket purchased`, confirmationCode } };
};

/** POST /tickets: sells a ticket. Transactions are serializable, so no seat is sold twice. */
export const buyMuseumTickets =
  ({ transaction }: Store): Handler<'buyMuseumTickets'> =>
  async ({ body }) => {
    if (body.ticketType === 'event' && body.eventId === undefined)
      return { status: 404, body: problem('Name the event: eventId') };
    return transaction((tx) => sell(tx, body));
  };
