import type { Handler } from '../../generated/handler.ts';
import type { Store } from '../store.ts';
import { moveTicket } from '../tickets.ts';

/** POST /tickets/{ticketId}/use: lets somebody in. The contract lets only staff do this. */
export const useTicket =
  (store: Store): Handler<'useTicket'> =>
  async (request) => ({ status: 200, body: await moveTicket(store, request, 'used') });
