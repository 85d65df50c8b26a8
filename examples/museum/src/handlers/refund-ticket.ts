import type { Handler } from '../../generated/handler.ts';
import type { Store } from '../store.ts';
import { moveTicket } from '../tickets.ts';

/** POST /tickets/{ticketId}/refund: takes a ticket back. Refunded tickets do not count as sold, so its seat is free. */
export const refundTicket =
  (store: Store): Handler<'refundTicket'> =>
  async (request) => ({ status: 200, body: await moveTicket(store, request, 'refunded') });
