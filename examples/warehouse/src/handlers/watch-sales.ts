import type { Handler } from '../../generated/handler.ts';
import type { Store } from '../store.ts';

/** GET /sales: an event for each order of a product, or of any, that this process takes. */
export const watchSales =
  ({ sales, watchers }: Store): Handler<'watchSales'> =>
  async ({ query: { product }, signal }) => {
    const body = async function* () {
      watchers.add(signal);
      try {
        for await (const data of sales.subscribe(signal))
          if (product === undefined || data.product === product) yield { event: 'placed' as const, data };
      } finally {
        watchers.delete(signal);
      }
    };
    return { status: 200, body: body() };
  };
