import type { Query } from '../stored-plants.ts';

/** The tables of the bank: the plants of the clients, and accounts that money moves between. */
export interface BankTables {
  plants: { id: bigint; name: string; tag: string | null };
  account: { id: bigint; balance: bigint };
}

/** How many accounts there are, with how much each at first. Few enough that transactions collide. */
export const ACCOUNTS = 50;
const BALANCE = 1_000_000;

/** The schema of the bank. */
export const MIGRATIONS = [
  'CREATE TABLE plants (id bigint PRIMARY KEY, name text NOT NULL, tag text)',
  'CREATE TABLE account (id bigint PRIMARY KEY, balance bigint NOT NULL)',
  `INSERT INTO account VALUES ${Array.from({ length: ACCOUNTS }, (_, id) => `(${id}, ${BALANCE})`).join(', ')}`,
];

const SUM = 'SELECT CAST(sum(balance) AS TEXT) AS sum FROM account';

/** Throws if the accounts do not hold what they held at first. */
export const checkBank = async (query: Query): Promise<void> => {
  const [row] = await query(SUM);
  if (row?.sum !== `${ACCOUNTS * BALANCE}`)
    throw new Error(`the accounts hold ${row?.sum} in all, not ${ACCOUNTS * BALANCE}`);
};
