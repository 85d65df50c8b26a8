import type { Handler } from '../../generated/handler.ts';
import { findOrder, found, toOrder } from '../orders.ts';
import type { Store } from '../store.ts';

/** GET /orders/{id}: an order, with its version. */
export const getOrder =
  ({ db }: Store): Handler<'getOrder'> =>
  async ({ path }) => {
    const order = found(await findOrder(db, path.id), 'order');
    return { status: 200, headers: { ETag: `${order.version}` }, body: toOrder(order) };
  };
