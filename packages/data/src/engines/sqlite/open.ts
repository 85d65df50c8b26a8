import type { OpenOptions } from '../options.ts';
import type { SqlEngine } from '../sql.ts';
import type { Runner } from './conversation.ts';
import { IN_MEMORY, type SqliteSchema } from './protocol.ts';
import { createSqlEngine } from './sql-engine.ts';
import { startLastingThread, startReader } from './worker.ts';

/** How long a batch may take, in milliseconds: longer than others may keep the file locked. */
const TIMEOUT = 10_000;

/** The same for bulk writes: their batches are large, and may wait for a checkpoint on a slow disk. */
const BULK_TIMEOUT = 120_000;

/**
 * The path in a DATABASE_URL that names SQLite. Refuses what SQLite takes for no plain path: it would store nothing, or
 * follow the options of a URI.
 */
export const toSqlitePath = (url: string): string => {
  const path = url.slice('sqlite:'.length);
  if (path !== ':memory:' && !path.startsWith('file:')) return path;
  throw new Error(
    `DATABASE_URL: ${path} cannot be used: SQLite takes it for no plain path; use memory: for a store that ends with the process, or a path, as in sqlite:data/store.db`,
  );
};

const openRunner = async (
  path: string,
  schema: SqliteSchema,
  { mustExist = false, bulk = false, mayBeUnavailable = false }: OpenOptions,
  timeout: number,
): Promise<Runner> => {
  const runner = startLastingThread({ path, schema, options: { mustExist, bulk } }, timeout);
  const { failure } = await runner.opened();
  if (failure && !mayBeUnavailable) throw failure.cause;
  return runner;
};

/**
 * Opens a file for statements of every kind, on separate threads: a slow disk does not block the event loop. Those that
 * write run on one thread; those that only read run on a second one, which starts with the first of them. The path `:memory:` opens a database that ends with the engine; there reads
 * wait for transactions.
 */
export const openSqliteSql = async (
  path: string,
  schema: SqliteSchema,
  options: OpenOptions = {},
  timeout = options.bulk ? BULK_TIMEOUT : TIMEOUT,
): Promise<SqlEngine> => {
  const writer = await openRunner(path, schema, options, timeout);
  const reader =
    path === IN_MEMORY
      ? { ...writer, async close() {} }
      : startReader({ path, schema, options: { isReader: true } }, timeout);
  return createSqlEngine(writer, reader, options);
};
