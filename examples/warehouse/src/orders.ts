import { ConstraintViolation } from '@trellis/data';
import { Problem } from '@trellis/server';
import type { Kysely } from 'kysely';
import type { Order, Tables } from './store.ts';

type Found = Tables['orders'];

/** An order as clients see it. */
export const toOrder = ({ version: _, ...order }: Found): Order => order;

/** Finds an order by its id, or `undefined`. */
export const findOrder = (db: Kysely<Tables>, id: bigint): Promise<Found | undefined> =>
  db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();

/** Gives the result of a query; throws a 404 if it is `undefined`. */
export const found = <Value>(value: Value | undefined, what: string): Value => {
  if (value === undefined) throw new Problem(40401, `there is no such ${what}`);
  return value;
};

/** Takes a quantity of a product from its stock; throws a 409 if there is less. */
export const takeFromStock = async (db: Kysely<Tables>, id: bigint, quantity: bigint): Promise<void> => {
  const row = await db.selectFrom('product').select('stock').where('id', '=', id).executeTakeFirst();
  const { stock } = found(row, 'product');
  if (stock < quantity) throw new Problem(40902, `only ${stock} are in stock`);
  await db
    .updateTable('product')
    .set({ stock: stock - quantity })
    .where('id', '=', id)
    .execute();
};

/** Throws a 409 for a unique value that is taken, and any other error unchanged. */
export const refuseTaken = (error: unknown): never => {
  if (!(error instanceof ConstraintViolation) || error.kind !== 'unique') throw error;
  throw new Problem(40901, `${error.columns.join(', ')} is already taken`);
};
