import { queryPostgres, querySqlite } from '../../support/query.ts';

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

const checkSum = ([row]: readonly { readonly sum?: unknown }[]): void => {
  if (row?.sum !== `${ACCOUNTS * BALANCE}`)
    throw new Error(`the accounts hold ${row?.sum} in all, not ${ACCOUNTS * BALANCE}`);
};

/** Throws if the accounts of a SQLite file do not hold what they held at first. */
export const checkSqliteBank = (path: string): void => checkSum(querySqlite(path, SUM));

/** Throws if the accounts of a PostgreSQL database do not hold what they held at first. */
export const checkPostgresBank = async (url: string): Promise<void> =>
  checkSum(await queryPostgres(url, SUM));
