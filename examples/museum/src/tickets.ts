import { hasScope, type Principal, Problem } from '@trellis/server';
import type { Kysely } from 'kysely';
import type { components } from '../generated/openapi.ts';
import type { Store, Tables } from './store.ts';

type TicketState = Tables['ticket']['state'];

/** A request about a ticket. */
interface TicketRequest {
  readonly path: { readonly ticketId: string };
  readonly principal: Principal;
}

/** The states that a ticket can go to from each state. */
const NEXT: Readonly<Record<TicketState, readonly TicketState[]>> = {
  sold: ['used', 'refunded'],
  used: [],
  refunded: [],
};

/** The ticket of a request. Throws a 404 if it does not exist, or if it belongs to another visitor. */
export const findTicket = async (db: Kysely<Tables>, { path: { ticketId }, principal }: TicketRequest) => {
  const ticket = await db.selectFrom('ticket').selectAll().where('id', '=', ticketId).executeTakeFirst();
  if (ticket && (ticket.buyer === principal.name || hasScope(principal, 'staff'))) return ticket;
  throw new Problem(40401, 'there is no such ticket');
};

/** A ticket as the contract has it. */
export const toTicket = ({
  id,
  type,
  date,
  event_id,
  state,
}: Awaited<ReturnType<typeof findTicket>>): components['schemas']['SoldTicket'] => ({
  ticketId: id,
  ticketType: type,
  ticketDate: date,
  state,
  ...(event_id !== null && { eventId: event_id }),
});

/** Moves a ticket to another state. Throws a 409 if it cannot go there from the one that it is in. */
export const moveTicket = async ({ transaction }: Store, request: TicketRequest, state: TicketState) =>
  transaction(async (tx) => {
    const ticket = await findTicket(tx, request);
    if (!NEXT[ticket.state].includes(state))
      throw new Problem(40901, `the ticket is ${ticket.state}, so it cannot be ${state}`);
    await tx.updateTable('ticket').set({ state }).where('id', '=', ticket.id).execute();
    return toTicket({ ...ticket, state });
  });
