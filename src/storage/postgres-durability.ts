import type { Pool } from 'pg';
import { UnfitDatabase } from './postgres-errors.ts';

/**
 * Conditions for the statements of a store. Each holds where what the statement has written, or has seen, is as durable
 * as a commit can be. They are part of the statement, so that no change of a setting comes between the two.
 */
export interface Guards {
  readonly write: string;
  readonly read: string;
}

const KEPT = [
  // For this transaction alone, whatever the role, the database or the server says by then; remote_apply is more.
  `set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true) <> ''`,
  // Who cancels the wait for a replica ends it with a success. Only a warning tells.
  "set_config('client_min_messages', 'warning', true) <> ''",
  "current_setting('fsync') = 'on'",
  "pg_relation_is_publishable('plants'::regclass)", // neither UNLOGGED nor temporary
].join(' AND ');

/** A statement that writes nothing waits for no replica. One that writes a message does, and then all before it is there. */
const EMITTED = "pg_logical_emit_message(true, 'plant_store', '') IS NOT NULL";

const WRITE_AHEAD_LOG: Guards = { write: `(SELECT ${KEPT})`, read: `(SELECT ${KEPT} AND ${EMITTED})` };

/** CockroachDB and YugabyteDB commit by consensus: what can be read there is on most replicas already. */
const CONSENSUS: Guards = { write: 'true', read: 'true' };

const EMIT = `SELECT oid::regprocedure::text AS signature, has_function_privilege(oid, 'EXECUTE') AS allowed
  FROM pg_proc WHERE proname = 'pg_logical_emit_message' AND proargtypes[2] = 'text'::regtype`;

const SETTINGS = `SELECT version() AS version, current_setting('server_encoding', true) AS encoding,
  current_setting('fsync', true) AS fsync,
  current_setting('synchronous_commit', true) AS synchronous,
  current_setting('synchronous_standby_names', true) AS standbys,
  (SELECT relpersistence FROM pg_class WHERE oid = to_regclass('plants')) AS persistence`;

/** What a server says of itself, each where it knows the setting. */
export type Settings = Readonly<
  Record<
    'version' | 'encoding' | 'fsync' | 'synchronous' | 'standbys' | 'persistence',
    string | null | undefined
  >
>;

/** Asks a server for everything that is checked. */
export const readSettings = async (pool: Pool): Promise<Settings> =>
  (await pool.query(SETTINGS)).rows[0] ?? {};

const isPostgres = ({ version }: Settings): boolean => /^PostgreSQL (?!.*-YB-)/.test(version ?? '');

/** The conditions that fit an engine. */
export const chooseGuards = (settings: Settings): Guards =>
  isPostgres(settings) ? WRITE_AHEAD_LOG : CONSENSUS;

const refuse = (remedy: string): never => {
  throw new UnfitDatabase(`DATABASE_URL: ${remedy}`);
};

/** A commit of ours asks for more by itself. But who has set this does not want to wait for what we promise. */
const checkCommits = ({ synchronous, standbys }: Settings): void => {
  if (synchronous === 'off') refuse('synchronous_commit is off, so commits can be lost; set it on');
  if (standbys && (synchronous === 'local' || synchronous === 'remote_write'))
    refuse(
      `synchronous_commit is ${synchronous}, so a failover can lose commits in spite of synchronous_standby_names; set it on`,
    );
};

/** What no statement can mend. */
const checkKept = ({ fsync, persistence }: Settings): void => {
  if (fsync === 'off') refuse('fsync is off, so commits can be lost; set it on');
  if (persistence === 'u')
    refuse('the table plants is UNLOGGED, so a crash empties it; ALTER TABLE plants SET LOGGED');
  if (persistence === 't') refuse('the table plants is temporary, so it ends with its connection; drop it');
};

const checkEmit = async (pool: Pool): Promise<void> => {
  const { rows } = await pool.query(EMIT);
  const { signature, allowed } = rows[0] ?? {};
  if (allowed === false)
    refuse(
      `the role may not execute pg_logical_emit_message, by which a replay waits for replicas; GRANT EXECUTE ON FUNCTION ${signature} to it`,
    );
};

/** Throws with the remedy where the database is set to lose what was committed. */
export const checkDurability = async (pool: Pool, settings: Settings): Promise<void> => {
  checkCommits(settings);
  checkKept(settings);
  if (isPostgres(settings)) await checkEmit(pool);
};

/** Throws with the remedy where a guard does not hold. */
export const checkGuards = async (pool: Pool): Promise<void> => checkKept(await readSettings(pool));
