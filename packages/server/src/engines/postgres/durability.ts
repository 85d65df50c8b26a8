import type { Pool } from 'pg';
import { UnfitDatabase } from './errors.ts';

/**
 * Conditions for the WHERE clause of a statement. Where a condition does not hold, the statement changes and finds
 * nothing. They are part of the statement itself, so that no change of a setting can come between check and commit.
 */
export interface Guards {
  /** For a statement that writes: what it writes is as durable as a commit can be. */
  readonly write: string;
  /** For a statement that may write nothing: what it has seen is as durable as a commit can be. */
  readonly read: string;
}

/** What the guards are made for. */
export interface GuardedSchema {
  /** The prefix of the messages that make a statement wait for replicas. */
  readonly namespace: string;
  readonly tables: readonly string[];
}

const KEPT = [
  // For this transaction alone, whatever the role, the database or the server says; remote_apply is even stricter.
  `set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) <> ''`,
  // A commit whose wait for a replica is cancelled succeeds all the same, with a warning.
  "set_config('client_min_messages', 'warning', true) <> ''",
  "current_setting('fsync') = 'on'",
];

/** Neither UNLOGGED nor temporary. */
const isLogged = (table: string): string => `pg_relation_is_publishable('${table}'::regclass)`;

/** A statement that writes nothing waits for no replica. One that writes a message waits until all before it is there. */
const emits = (namespace: string): string => `pg_logical_emit_message(true, '${namespace}', '') IS NOT NULL`;

const guardByLog = ({ namespace, tables }: GuardedSchema): Guards => {
  const kept = [...KEPT, ...tables.map(isLogged)].join(' AND ');
  return { write: `(SELECT ${kept})`, read: `(SELECT ${kept} AND ${emits(namespace)})` };
};

/** CockroachDB and YugabyteDB commit by consensus: what can be read there is on most replicas already. */
const CONSENSUS: Guards = { write: 'true', read: 'true' };

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

/** The conditions that fit a database engine. */
export const chooseGuards = (settings: Settings, schema: GuardedSchema): Guards =>
  isPostgres(settings) ? guardByLog(schema) : CONSENSUS;

/** How long a transaction and each of its statements may take, in milliseconds. */
export interface TransactionTimes {
  readonly transaction: number;
  readonly statement: number;
}

/** The SQL that begins and ends a transaction, each in one round trip. */
export interface TransactionFrame {
  /** Its last row tells in `kept` whether a commit will be durable. */
  begin(times: TransactionTimes): string;
  readonly commit: string;
}

const BEGIN = 'BEGIN ISOLATION LEVEL SERIALIZABLE';

/**
 * The SQL that fits a database engine. PostgreSQL ends a transaction of a process that is frozen or gone when its time is
 * up. A transaction that has only seen something writes a message when it commits, and so waits for replicas as well; one
 * that has written does so anyway.
 */
export const chooseFrame = (settings: Settings, namespace: string): TransactionFrame =>
  isPostgres(settings)
    ? {
        begin: ({ transaction, statement }) => `${BEGIN}; SELECT ${KEPT.join(' AND ')} AS kept,
          set_config('idle_in_transaction_session_timeout', '${transaction}', true),
          set_config('statement_timeout', '${statement}', true)`,
        commit: `SELECT CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN ${emits(namespace)} END; COMMIT`,
      }
    : { begin: () => `${BEGIN}; SELECT true AS kept`, commit: 'COMMIT' };

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

const refuseTable = (table: string, persistence: unknown): void => {
  if (persistence === 'u')
    refuse(`the table ${table} is UNLOGGED, so a crash empties it; ALTER TABLE ${table} SET LOGGED`);
  if (persistence === 't') refuse(`the table ${table} is temporary, so it ends with its connection; drop it`);
};

/** Throws with the remedy: nothing that is committed is on disk for certain. */
export const refuseFsync = (): never => refuse('fsync is off, so commits can be lost; set it on');

/** Throws with the remedy if one of these tables, or of all that statements find by their names, is not durable. */
export const checkTables = async (pool: Pool, tables?: readonly string[]): Promise<void> => {
  const named = tables?.map((table) => `to_regclass('${table}')`).join(', ');
  const { rows } = await pool.query<{ name: string; persistence: string }>(
    `SELECT oid::regclass::text AS name, relpersistence AS persistence FROM pg_class
     WHERE relkind = 'r' AND relpersistence <> 'p' AND ${named ? `oid IN (${named})` : 'pg_table_is_visible(oid)'}`,
  );
  for (const { name, persistence } of rows) refuseTable(name, persistence);
};

/** No statement can override these settings. */
const checkKept = async (pool: Pool, { fsync }: Settings, tables?: readonly string[]): Promise<void> => {
  if (fsync === 'off') refuseFsync();
  await checkTables(pool, tables);
};

/** Refuses a database that lacks what makes a commit wait for replicas: it may not be PostgreSQL at all. */
const checkEmit = async (pool: Pool, { fsync, synchronous }: Settings): Promise<void> => {
  const { rows } = await pool.query(EMIT);
  const { signature, allowed } = rows[0] ?? {};
  if (!signature || !fsync || !synchronous)
    refuse(
      `the database lacks ${signature ? 'fsync or synchronous_commit' : 'pg_logical_emit_message'}, without which nobody knows what its commits wait for; use PostgreSQL, CockroachDB or YugabyteDB`,
    );
  if (allowed === false)
    refuse(
      `the role may not execute pg_logical_emit_message, by which a replay waits for replicas; GRANT EXECUTE ON FUNCTION ${signature} to it`,
    );
};

/** Throws with the remedy if the database is set to lose commits to these tables, or to any. */
export const checkDurability = async (
  pool: Pool,
  settings: Settings,
  tables?: readonly string[],
): Promise<void> => {
  checkCommits(settings);
  await checkKept(pool, settings, tables);
  if (isPostgres(settings)) await checkEmit(pool, settings);
};

/** Throws with the remedy if a guard does not hold. */
export const checkGuards = async (pool: Pool, { tables }: GuardedSchema): Promise<void> =>
  checkKept(pool, await readSettings(pool), tables);
