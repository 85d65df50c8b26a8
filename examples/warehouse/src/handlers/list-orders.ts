import { decodeCursor, encodeCursor, link } from '@trellis/server/http';
import type { Handler } from '../../generated/handler.ts';
import { toOrder } from '../orders.ts';
import type { Store } from '../store.ts';

const readId = (value: unknown) =>
  typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;

/** GET /orders: the orders in the order of their ids, page by page. */
export const listOrders =
  ({ db }: Store): Handler<'listOrders'> =>
  async ({ query: { limit = 20, cursor } }) => {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, readId);
    let page = db.selectFrom('orders').selectAll().orderBy('id').limit(limit);
    if (after !== undefined) page = page.where('id', '>', after);
    const orders = await page.execute();
    const last = orders.length === limit ? orders.at(-1) : undefined;
    const next = last && `/orders?limit=${limit}&cursor=${encodeCursor(`${last.id}`)}`;
    return { status: 200, headers: { ...(next && { Link: link({ next }) }) }, body: orders.map(toOrder) };
  };
