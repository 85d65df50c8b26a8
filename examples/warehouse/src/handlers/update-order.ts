import { checkPreconditions } from '@trellis/server/http';
import type { Handler } from '../../generated/handler.ts';
import { findOrder, found, toOrder } from '../orders.ts';
import type { Store } from '../store.ts';

/** PATCH /orders/{id}: changes the note, if the client has the newest version of the order. */
export const updateOrder =
  ({ transaction }: Store): Handler<'updateOrder'> =>
  async ({ path: { id }, header, body: { note } }) => {
    const order = await transaction(async (tx) => {
      const held = found(await findOrder(tx, id), 'order');
      checkPreconditions(header, `${held.version}`, { required: true });
      const change = { note, version: held.version + 1n };
      await tx.updateTable('orders').set(change).where('id', '=', id).execute();
      return { ...held, ...change };
    });
    return { status: 200, headers: { ETag: `${order.version}` }, body: toOrder(order) };
  };
