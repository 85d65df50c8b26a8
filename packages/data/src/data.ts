import { type Compilable, Kysely, type Transaction } from 'kysely';
import { createDialect } from './dialect.ts';
import type { OpenOptions, PostgresLimits, SqlEngine } from './engines/engine.ts';
import { StoreUnavailable } from './engines/errors.ts';
import { retry } from './engines/retry.ts';
import type { DataSchema } from './engines/schema.ts';
import { openEngine, parseUrl } from './open.ts';
import { type Param, type PreparedQuery, prepareQuery } from './prepare.ts';

/** Where the data is, as the settings of a service say. */
export interface DataConfig {
  /** `sqlite:PATH`, `postgres://…`, or `memory:` for data that ends with the process. */
  readonly databaseUrl: string;
  readonly databaseLimits?: PostgresLimits | undefined;
}

/** How data is opened. */
export interface DataOptions extends OpenOptions {
  /** How long a transaction may take in all, in milliseconds; 5,000 unless given. */
  readonly transactionTimeout?: number;
}

/** A database, in the same way on SQLite and on PostgreSQL. It is a store: `serve` can check and close it. */
export interface Data<Tables> {
  /**
   * Queries, typed by the tables. A query that writes is its own transaction, which is durable once it settles. A query
   * that reads waits for no writer.
   */
  readonly db: Kysely<Tables>;
  /**
   * Builds and compiles a query once, for values that it gets when it runs. Kysely builds the others each time, which takes
   * longer than most of them take to run.
   *
   * @example
   * const insert = data.prepare((db, param: Param<{ id: bigint; owner: string }>) =>
   *   db.insertInto('accounts').values({ id: param('id'), owner: param('owner') }));
   * await insert({ id: 1n, owner: 'Ada' });
   */
  prepare<Values, Row>(
    make: (db: Kysely<Tables>, param: Param<Values>) => Compilable<Row>,
  ): PreparedQuery<Tables, Values, Row>;
  /**
   * Runs queries as one serializable transaction. It is durable, with everything that it has read, once this settles; if
   * `work` throws, nothing of it has happened. **`work` may run several times**: the transaction is tried again if it
   * collides with another one, so let `work` do nothing but queries. Queries on `db` are no part of it. Rejects with
   * StoreUnavailable (`timeout`) once its time is up, also if `work` has not settled.
   */
  transaction<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** Gives the reason, in a word, why a write would fail now; `undefined` if it would not. */
  check(): Promise<string | undefined>;
  /** Finishes all accepted work, then releases the database. */
  close(): Promise<void>;
  /** Waits for a lock of all services on the database; see `Store`. SQLite belongs to one service, and has none. */
  lock?: NonNullable<SqlEngine['lock']>;
}

const TRANSACTION_TIMEOUT = 5000;

/** How long a transaction that collides with others is tried again, in milliseconds. */
const RETRY_WITHIN = 2000;

const NOT_SETTLED =
  'the function of the transaction has not settled in time; let it await nothing but queries';

/** Settles like some work, or rejects with StoreUnavailable once its time is up. */
const inTime = async <Result>(work: Promise<Result>, within: number): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreUnavailable('timeout', { cause: new Error(NOT_SETTLED) })),
      within,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Opens a database with its schema up to date.
 *
 * @example
 * const data = await openData<Tables>({ databaseUrl: 'sqlite:data/things.db' }, schema);
 * await data.db.insertInto('things').values({ id: 1n, name: 'Fern' }).execute();
 */
export const openData = async <Tables>(
  { databaseUrl, databaseLimits }: DataConfig,
  schema: DataSchema,
  { transactionTimeout = TRANSACTION_TIMEOUT, ...options }: DataOptions = {},
): Promise<Data<Tables>> => {
  const { kind } = parseUrl(databaseUrl);
  const engine = await openEngine(databaseUrl, schema, options, databaseLimits);
  let closed: Promise<void> | undefined;
  /** Kysely would release a database only if it has been used. */
  const close = (): Promise<void> => {
    closed ??= engine.close();
    return closed;
  };
  const db = new Kysely<Tables>({ dialect: createDialect({ ...engine, close }, kind, transactionTimeout) });
  const transactOnce = <Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result> => {
    const deadline = performance.now() + transactionTimeout;
    return db.transaction().execute((tx) => inTime(work(tx), deadline - performance.now()));
  };
  return {
    db,
    prepare: (make) => prepareQuery(db, engine, make),
    transaction: (work) =>
      retry(() => transactOnce(work), { isTransient: engine.isRetryable, within: RETRY_WITHIN }),
    check: engine.check,
    close,
    ...(engine.lock && { lock: engine.lock }),
  };
};
