import type { Pool } from 'pg';
import { fieldOf, StoreUnavailable } from '../errors.ts';
import { UnfitDatabase } from './errors.ts';

const KEPT = [
  // For this transaction alone, whatever the role, the database or the server says; remote_apply is even stricter.
  `set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) <> ''`,
  // A commit whose wait for a replica is cancelled still succeeds, with a warning.
  "set_config('client_min_messages', 'warning', true) <> ''",
  "current_setting('fsync') = 'on'",
];

const EMIT = `SELECT oid::regprocedure::text AS signature, has_function_privilege(oid, 'EXECUTE') AS allowed
  FROM pg_proc WHERE proname = 'pg_logical_emit_message' AND proargtypes[2] = 'text'::regtype`;

/** CockroachDB is known by a setting, YugabyteDB by a function: version() tells little, as forks call themselves PostgreSQL. */
const SETTINGS = `SELECT (current_setting('crdb_version', true) IS NOT NULL
    OR EXISTS (SELECT 1 FROM pg_proc WHERE proname = 'yb_servers'))::text AS consensus,
  current_setting('server_encoding', true) AS encoding,
  current_setting('fsync', true) AS fsync,
  current_setting('synchronous_commit', true) AS synchronous,
  current_setting('synchronous_standby_names', true) AS standbys`;

/** The settings of a server, as far as it knows them. */
export type Settings = Readonly<
  Record<'consensus' | 'encoding' | 'fsync' | 'synchronous' | 'standbys', string | null | undefined>
>;

/** Reads every setting that is checked. */
export const readSettings = async (pool: Pool): Promise<Settings> =>
  (await pool.query(SETTINGS)).rows[0] ?? {};

/** Whether a server writes a log like PostgreSQL, or commits by consensus. */
export const isPostgres = ({ consensus }: Settings): boolean => consensus !== 'true';

/** How long a transaction and each of its statements may take, in milliseconds. */
export interface TransactionTimes {
  readonly transaction: number;
  readonly statement: number;
}

/** The SQL that begins and ends a transaction. */
export interface TransactionFrame {
  /** Fails if a commit would not be durable. PostgreSQL then runs no later statement of the transaction. */
  begin(times: TransactionTimes): string;
  /** Runs before the commit, which then waits for the replicas even if the transaction has only read. */
  readonly confirm: string;
}

/** How much later PostgreSQL ends a transaction than we do, in milliseconds. */
const GRACE = 500;

const BEGIN = 'BEGIN ISOLATION LEVEL SERIALIZABLE';

/** Each transaction looks at this many tables. Only `check` looks at the others, which few databases have. */
const MOST_TABLES = 100;

/** True if every table is neither UNLOGGED nor temporary. Ignores a table that was dropped. */
const areLogged = (tables: readonly string[]): string => {
  const names = tables.map((name) => `'${name.replaceAll("'", "''")}'`).join();
  return `(SELECT coalesce(bool_and(pg_relation_is_publishable(to_regclass(name))), true)
    FROM unnest(ARRAY[${names}]::text[]) AS name)`;
};

/** The code of the error of a transaction that is not begun, because its commit would not be durable. */
const NOT_KEPT = '22P02';

/**
 * The SQL that fits a database engine. PostgreSQL ends a transaction of a process that is frozen or gone soon after its
 * time is up. A transaction that has only read writes a message before its commit, which then waits for the replicas, as
 * the commit of a transaction that has written does.
 */
export const chooseFrame = (
  settings: Settings,
  namespace: string,
  tables: readonly string[],
): TransactionFrame => {
  if (!isPostgres(settings)) return { begin: () => BEGIN, confirm: 'SELECT true' };
  const kept = [...KEPT, areLogged(tables)].join(' AND ');
  return {
    begin: ({ transaction, statement }) => `${BEGIN};
      SELECT (CASE WHEN ${kept} THEN 'true' ELSE 'commits can be lost' END)::boolean,
        set_config('idle_in_transaction_session_timeout', '${transaction + GRACE}', true),
        set_config('statement_timeout', '${statement}', true)`,
    confirm: `SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL
      THEN pg_logical_emit_message(true, '${namespace}', '') IS NOT NULL END`,
  };
};

const refuse = (remedy: string): never => {
  throw new UnfitDatabase(`DATABASE_URL: ${remedy}`);
};

/** Our commits override these settings. But an operator who sets them does not want commits to wait as ours do. */
const checkCommits = ({ synchronous, standbys }: Settings): void => {
  if (synchronous === 'off') refuse('synchronous_commit is off, so commits can be lost; set it on');
  if (standbys && (synchronous === 'local' || synchronous === 'remote_write'))
    refuse(
      `synchronous_commit is ${synchronous}, so a failover can lose commits in spite of synchronous_standby_names; set it on`,
    );
};

/** The tables that statements find by their names. */
export const readTables = async (pool: Pool): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid)
     AND pg_relation_is_publishable(oid) ORDER BY oid LIMIT ${MOST_TABLES}`,
  );
  return rows.map(({ name }) => name);
};

/** Throws with the remedy if a table that statements find by its name is not durable. */
export const checkTables = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query<{ name: string; persistence: string }>(
    `SELECT oid::regclass::text AS name, relpersistence AS persistence FROM pg_class
     WHERE relkind = 'r' AND relpersistence <> 'p' AND pg_table_is_visible(oid)`,
  );
  for (const { name, persistence } of rows)
    refuse(
      persistence === 'u'
        ? `the table ${name} is UNLOGGED, so a crash empties it; ALTER TABLE ${name} SET LOGGED`
        : `the table ${name} is temporary, so it ends with its connection; drop it`,
    );
};

/** No statement can override these settings. */
const checkKept = async (pool: Pool, { fsync }: Settings): Promise<void> => {
  if (fsync === 'off') refuse('fsync is off, so commits can be lost; set it on');
  await checkTables(pool);
};

/** Refuses a database that lacks what makes a commit wait for replicas: it may not be PostgreSQL at all. */
const checkEmit = async (pool: Pool, { fsync, synchronous }: Settings): Promise<void> => {
  const { rows } = await pool.query(EMIT);
  const { signature, allowed } = rows[0] ?? {};
  if (!signature || !fsync || !synchronous)
    refuse(
      `the database lacks ${signature ? 'fsync or synchronous_commit' : 'pg_logical_emit_message'}, so whether its commits are durable is unknown; use PostgreSQL, CockroachDB or YugabyteDB`,
    );
  if (allowed === false)
    refuse(
      `the role may not execute pg_logical_emit_message, by which a replay waits for replicas; GRANT EXECUTE ON FUNCTION ${signature} to it`,
    );
};

/** Throws with the remedy if the database is set to lose commits. */
export const checkDurability = async (pool: Pool, settings: Settings): Promise<void> => {
  checkCommits(settings);
  await checkKept(pool, settings);
  if (isPostgres(settings)) await checkEmit(pool, settings);
};

/** Says why a transaction was not begun. A standby refuses a serializable one as a feature that it does not have. */
export const explainBegin = async (pool: Pool, error: unknown): Promise<unknown> => {
  const code = fieldOf(error, 'code');
  if (code === '0A000')
    return Object.assign(new Error('it is a standby', { cause: error }), { code: '25006' });
  if (code !== NOT_KEPT) return error;
  return readSettings(pool)
    .then((settings) => checkKept(pool, settings))
    .then(
      () => new StoreUnavailable('failing', { cause: error }),
      (reason: unknown) => reason,
    );
};
