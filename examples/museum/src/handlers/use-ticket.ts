import type { Handler } from '../../generated/handler.ts';
import type { Store } from '../store.ts';
import { moveTicket } from '../tickets.ts';

/** POST /tickets/{ticketId}/use: admits a visitor. Only staff may call it. */
export const useTicket =
  (store: Store): Handler<'useTicket'> =>
  async (request) => ({ status: 200, body: await moveTicket(store, request, 'used') });
