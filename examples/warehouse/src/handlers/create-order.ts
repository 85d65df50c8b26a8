import { Problem } from '@trellis/server';
import type { Handler } from '../../generated/handler.ts';
import { findOrder, refuseTaken, takeFromStock, toOrder } from '../orders.ts';
import type { Store } from '../store.ts';

/** POST /orders: places an order, takes its product from the stock, and tells who wants to be notified. */
export const createOrder =
  ({ transaction, webhooks, sales }: Store): Handler<'createOrder'> =>
  async ({ body: { notify, ...order } }) => {
    const row = { ...order, version: 1n };
    const held = await transaction(async (tx) => {
      const existing = await findOrder(tx, order.id);
      if (existing) return existing;
      await takeFromStock(tx, order.product, order.quantity);
      await tx.insertInto('orders').values(row).execute();
      if (notify !== undefined)
        await webhooks.send(tx, 'orderPlaced', { url: notify, key: `order ${order.id}`, body: order });
      return undefined;
    }).catch(refuseTaken);
    if (!held) sales.publish(order);
    else if (
      held.reference !== order.reference ||
      held.product !== order.product ||
      held.quantity !== order.quantity
    )
      throw new Problem(40901, `another order has id ${order.id}`);
    const current = held ?? row;
    return { status: 201, headers: { ETag: `${current.version}` }, body: toOrder(current) };
  };
