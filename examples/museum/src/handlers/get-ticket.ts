import type { Handler } from '../../generated/handler.ts';
import type { Store } from '../store.ts';
import { findTicket, toTicket } from '../tickets.ts';

/** GET /tickets/{ticketId}: a ticket, for staff and for who has bought it. */
export const getTicket =
  ({ db }: Store): Handler<'getTicket'> =>
  async (request) => ({ status: 200, body: toTicket(await findTicket(db, request)) });
