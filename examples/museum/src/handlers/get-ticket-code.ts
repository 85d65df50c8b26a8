import type { Handler } from '../../generated/handler.ts';
import type { Store } from '../store.ts';
import { drawCode } from '../ticket-code.ts';
import { findTicket } from '../tickets.ts';

/** GET /tickets/{ticketId}/qr: the confirmation code of a ticket, to be scanned at the door. */
export const getTicketCode =
  ({ db }: Store): Handler<'getTicketCode'> =>
  async (request) => ({ status: 200, body: drawCode((await findTicket(db, request)).code) });
