import type { QueryResultRow } from 'pg';
import { doByHalves } from '../by-halves.ts';
import { type Reason, StoreUnavailable } from '../errors.ts';
import { BULK, createGroupCommit } from '../group-commit.ts';
import type { OpenOptions, PostgresLimits } from '../options.ts';
import { retry } from '../retry.ts';
import { checkGuards, chooseGuards, type Guards } from './durability.ts';
import { isOfRow, isTransient, isUndone, toUnavailable } from './errors.ts';
import type { PostgresSteps } from './migrate.ts';
import { createPool, runConfirmed } from './pool.ts';
import { createPreparation, prepareSchema } from './prepare.ts';

/** The schema of a store that writes in batches. */
export interface PostgresSchema extends PostgresSteps {
  /** The tables that it writes to. */
  readonly tables: readonly string[];
}

/** How long transient failures are retried, in milliseconds. */
const RETRY_WITHIN = 1000;

/** Makes a statement that has one of the guards in its WHERE clause. */
export type GuardedStatement = (guards: Guards) => string;

/** What a batch is committed with. */
export interface Connection {
  /** Runs a statement and gives its rows. It commits by itself, and waits for synchronous replicas. */
  run<Row extends QueryResultRow>(statement: GuardedStatement, values: readonly unknown[]): Promise<Row[]>;
  /** Throws with the remedy if a guard does not hold. Call it if a statement found less than it should have. */
  checkGuards(): Promise<void>;
}

/**
 * Commits a batch and gives the outcome of each item, in order; an item that fails by itself gets a StoreUnavailable. It
 * may be called again with the same items, or some of them, so it must be harmless to repeat.
 */
export type CommitBatch<Item, Outcome> = (
  connection: Connection,
  items: readonly Item[],
) => Promise<readonly (Outcome | StoreUnavailable)[]>;

/** Runs statements on a PostgreSQL. All of it rejects with StoreUnavailable, within a bounded time. */
export interface PostgresEngine {
  /**
   * Makes a function that writes items, those that arrive together in one batch. Rejects with StoreOverloaded if too many
   * wait.
   */
  batch<Item, Outcome>(commit: CommitBatch<Item, Outcome>): (item: Item) => Promise<Outcome>;
  /**
   * Runs one statement that writes, and gives the number of rows that it changed, once that is durable. `isDurable` is a
   * condition for its WHERE clause. It runs again only if the first attempt has certainly changed nothing.
   */
  write(statement: (isDurable: string) => string, values: readonly unknown[]): Promise<number>;
  /** Gives the rows that a statement finds; a bigint comes as text. */
  read<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]>;
  /** Tells, by running a statement that should write nothing, why a write would fail now; `undefined` if it would not. */
  check(statement: GuardedStatement, values: readonly unknown[]): Promise<Reason | undefined>;
  /** Finishes what was accepted, then closes the connections. */
  close(): Promise<void>;
}

/** Opens a database and runs statements on it: with its schema up to date, retries, and commits that are durable. */
export const openPostgresEngine = async (
  url: string,
  limits: PostgresLimits,
  schema: PostgresSchema,
  { mustExist = false, bulk = false, observer, mayBeUnavailable = false }: OpenOptions = {},
): Promise<PostgresEngine> => {
  const pool = createPool(url, limits);
  const drains: (() => Promise<void>)[] = [];

  const { start, withSchema } = createPreparation(pool, async () =>
    chooseGuards(await prepareSchema(pool, schema, mustExist, schema.tables), schema),
  );
  const patiently = <T>(work: (guards: Guards) => Promise<T>, mayRetry = isTransient): Promise<T> =>
    retry(() => withSchema(work), { isTransient: mayRetry, within: RETRY_WITHIN });
  const rethrow = (error: unknown): never => {
    throw toUnavailable(error);
  };

  const connect = (guards: Guards): Connection => ({
    run: async <Row extends QueryResultRow>(statement: GuardedStatement, values: readonly unknown[]) =>
      (await runConfirmed<Row>(pool, statement(guards), values)).rows,
    checkGuards: () => checkGuards(pool, schema),
  });

  await start(mayBeUnavailable);

  return {
    batch<Item, Outcome>(commit: CommitBatch<Item, Outcome>) {
      const commitAll = (items: readonly Item[]) =>
        doByHalves(items, (some) => patiently((guards) => commit(connect(guards), some)), {
          isOfItem: isOfRow,
          toResult: toUnavailable,
        });
      const { submit, drain } = createGroupCommit(
        (items: readonly Item[]) => commitAll(items).catch(rethrow),
        { ...(bulk && { maxWaiting: BULK.maxWaiting }), lanes: limits.poolSize },
        observer,
      );
      drains.push(drain);
      return async (item: Item) => {
        const outcome = await submit(item);
        if (outcome instanceof StoreUnavailable) throw outcome;
        return outcome;
      };
    },
    write: (statement, values) =>
      patiently(async ({ read }) => {
        const { changed } = await runConfirmed(pool, statement(read), values);
        if (changed === 0) await checkGuards(pool, schema); // a guard that does not hold changes nothing
        return changed;
      }, isUndone).catch(rethrow),
    read: <Row extends QueryResultRow>(sql: string, values: readonly unknown[]) =>
      patiently(async () => (await pool.query<Row>(sql, [...values])).rows).catch(rethrow),
    async check(statement, values) {
      try {
        await withSchema(async (guards) => {
          await runConfirmed(pool, statement(guards), values);
          await checkGuards(pool, schema);
        });
        return undefined;
      } catch (error) {
        return toUnavailable(error).reason;
      }
    },
    async close() {
      await Promise.all(drains.map((drain) => drain()));
      await pool.end();
    },
  };
};
