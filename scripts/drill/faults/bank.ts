/**
 * The program of the bank drills: a service that answers as the plant store does, over the data layer. Each create also
 * moves money between two accounts in the same transaction: it reads both balances, computes, and writes both. So the sum
 * of all balances changes if a transaction ever happens by halves, or beside another one.
 */
import { randomInt } from 'node:crypto';
import { serve } from '@trellis/server';
import { type Data, openData } from '@trellis/server/data';
import type { Handler } from '../../../generated/handler.ts';
import { problem } from '../../../src/handlers/problems.ts';
import { toPlant } from '../../../src/plants/plant.ts';
import { errorBody, PRODUCT } from '../../../src/product.ts';
import { ACCOUNTS, type BankTables, MIGRATIONS } from './bank-accounts.ts';

const createPlant =
  ({ transaction }: Data<BankTables>): Handler<'createPlant'> =>
  ({ body }) =>
    transaction(async (tx) => {
      const { id, name, tag = null } = body;
      const held = await tx
        .selectFrom('plants')
        .select(['name', 'tag'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (held && (held.name !== name || held.tag !== tag))
        return { status: 409, body: problem('idTaken', `another plant has id ${id}`) };
      if (held) return { status: 200, body: toPlant(body) };
      const payer = BigInt(randomInt(ACCOUNTS));
      const payee = (payer + 1n) % BigInt(ACCOUNTS);
      const accounts = await tx.selectFrom('account').selectAll().where('id', 'in', [payer, payee]).execute();
      for (const account of accounts)
        await tx
          .updateTable('account')
          .set({ balance: account.balance + (account.id === payer ? -1n : 1n) })
          .where('id', '=', account.id)
          .execute();
      await tx.insertInto('plants').values({ id, name, tag }).execute();
      return { status: 200, body: toPlant(body) };
    });

await serve({
  ...PRODUCT,
  openStore: (config, options) =>
    openData<BankTables>(config, { name: 'drill bank', migrations: MIGRATIONS }, options),
  handlers: (data) => ({ createPlant: createPlant(data) }),
  errorBody,
});
