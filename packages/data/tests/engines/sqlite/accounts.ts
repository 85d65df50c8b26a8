import {
  type CommitObserver,
  type DataSchema,
  openEngine,
  type SqlEngine,
  type SqliteOptions,
  type SqlStatement,
} from '@trellis/data/internal';

/** Accounts with money, between which it goes to and fro, and notes about them. */
export const ACCOUNTS: DataSchema = {
  name: 'bank',
  applicationId: 0x42414e4b,
  migrations: [
    `CREATE TABLE accounts (id INTEGER PRIMARY KEY, money INTEGER NOT NULL CHECK (money >= 0)) STRICT;
     CREATE TABLE notes (account INTEGER NOT NULL REFERENCES accounts (id), words TEXT) STRICT`,
  ],
};

export const sql = (text: string, ...values: unknown[]): SqlStatement => ({ sql: text, values });

/** Opens accounts in a file, or in memory. */
export const openAccounts = (path: string, options?: SqliteOptions, more: DataSchema['migrations'] = []) =>
  openEngine(
    path === ':memory:' ? 'memory:' : `sqlite:${path}`,
    { ...ACCOUNTS, migrations: [...ACCOUNTS.migrations, ...more] },
    options,
  );

export const put = (id: number, money: number) => sql('INSERT INTO accounts VALUES (?, ?)', id, money);

export const SUM = sql('SELECT sum(money) AS sum FROM accounts');

/** How much money there is in all. */
export const sumOf = async ({ read }: Pick<SqlEngine, 'read'>) =>
  (await read<{ sum: bigint | null }>(SUM)).rows[0]?.sum ?? 0n;

/** Notes the sizes of the commits that it sees. */
export const noteCommits = () => {
  const sizes: number[] = [];
  const observer: CommitObserver = {
    watchQueue() {},
    committed: (size) => void sizes.push(size),
    failed() {},
  };
  return { sizes, observer };
};

/** Moves one unit of money, if there is any, in a transaction of four statements. */
export const transfer = async (engine: SqlEngine, from: number, to: number, timeout = 5000) => {
  const { run, commit, rollback } = await engine.begin({ timeout });
  try {
    await run(sql('SELECT money FROM accounts WHERE id = ?', from));
    await run(sql('UPDATE accounts SET money = money - 1 WHERE id = ?', from));
    await run(sql('UPDATE accounts SET money = money + 1 WHERE id = ?', to));
    await run(sql('INSERT INTO notes VALUES (?, ?)', from, `to ${to}`));
    await commit();
  } catch (error) {
    await rollback();
    throw error;
  }
};
