import type { Handler } from '../../generated/handler.ts';
import type { Order, Store } from '../store.ts';

/** GET /sales: an event for each order that this process takes. */
export const watchSales =
  ({ sales, watchers }: Store): Handler<'watchSales'> =>
  async ({ signal }) => ({ status: 200, body: events(sales.subscribe(signal), watchers, signal) });

async function* events(orders: AsyncIterable<Order>, watchers: Set<AbortSignal>, signal: AbortSignal) {
  watchers.add(signal);
  try {
    for await (const data of orders) yield { event: 'placed' as const, data };
  } finally {
    watchers.delete(signal);
  }
}
