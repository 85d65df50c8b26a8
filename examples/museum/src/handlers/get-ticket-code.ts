import type { Handler } from '../../generated/handler.ts';
import { problem } from '../problems.ts';
import type { Store } from '../store.ts';
import { drawCode } from '../ticket-code.ts';

/** GET /tickets/{ticketId}/qr: the confirmation code of a ticket, to be scanned at the door. */
export const getTicketCode =
  ({ db }: Store): Handler<'getTicketCode'> =>
  async ({ path: { ticketId } }) => {
    const ticket = await db.selectFrom('ticket').select('code').where('id', '=', ticketId).executeTakeFirst();
    return ticket
      ? { status: 200, body: drawCode(ticket.code) }
      : { status: 404, body: problem('There is no such ticket') };
  };
