import { type DataSchema, openEngine, type SqlEngine, type SqliteOptions } from '@trellis/data/internal';
import { LIMITS, type Session, usePostgres } from '../../support/postgres.ts';

/** A port without a listener. */
export const NOBODY = 9;

/** A schema with two accounts. */
export const SHOP: DataSchema = {
  name: 'shop',
  migrations: [
    'CREATE TABLE accounts (id bigint PRIMARY KEY, owner text, balance bigint NOT NULL CHECK (balance >= 0))',
    'CREATE TABLE letters (id bigint PRIMARY KEY, account bigint NOT NULL REFERENCES accounts, text text UNIQUE)',
    "INSERT INTO accounts VALUES (1, 'Ann', 100), (2, 'Bob', 100)",
  ],
};

/** A database with the shop for each test of a file, and another session to it. */
export const useShop = () => {
  const postgres = usePostgres();
  const open = async (
    url: string,
    { limits, schema = SHOP, ...options }: SqliteOptions & { limits?: object; schema?: DataSchema } = {},
  ): Promise<SqlEngine> => {
    const engine = await openEngine(url, schema, options, { ...LIMITS, ...limits });
    postgres.closeLater(engine.close);
    return engine;
  };
  const shop = {
    postgres,
    open,
    /** Opens the shop in a new database. */
    async openNew(limits: object = {}): Promise<{ url: string; engine: SqlEngine; other: Session }> {
      const url = await postgres.createDatabase();
      const engine = await open(url, { limits });
      return { url, engine, other: await postgres.openSession(url) };
    },
  };
  return shop;
};

/** A statement with its values. */
export const sql = (text: string, ...values: unknown[]) => ({ sql: text, values });

/** Moves money. */
export const add = (id: number, amount: number) =>
  sql('UPDATE accounts SET balance = balance + $2 WHERE id = $1', id, amount);

/** The balances of all accounts. */
export const BALANCES = sql('SELECT balance FROM accounts ORDER BY id');

/** Reads the balances of all accounts. */
export const readBalances = async (engine: Pick<SqlEngine, 'read'>): Promise<bigint[]> =>
  (await engine.read<{ balance: bigint }>(BALANCES)).rows.map(({ balance }) => balance);
