import type { OpenOptions } from '../options.ts';
import { createEngine, type Runner, type SqliteEngine } from './engine.ts';
import type { SqliteSchema } from './file.ts';
import type { Opening } from './protocol.ts';
import { openOwnedFile } from './shared/owned-file.ts';
import { startLastingThread } from './worker.ts';

/** How long a batch may take, in milliseconds: longer than others may keep the file locked. */
const TIMEOUT = 10_000;

/** The same for bulk writes: their batches are large, and may wait for a checkpoint on a slow disk. */
const BULK_TIMEOUT = 120_000;

const openOwnFile = async (opening: Opening, timeout: number): Promise<Runner> => {
  const thread = startLastingThread(opening, timeout);
  const { failure } = await thread.opened();
  if (failure) throw failure.cause;
  return thread;
};

/**
 * Opens a file and runs statements on it, on a thread of its own: a slow disk does not block the event loop. If another
 * process owns the file, that one runs them.
 */
export const openSqliteEngine = async (
  path: string,
  schema: SqliteSchema,
  { mustExist = false, bulk = false, observer, askOwner, mayBeUnavailable = false }: OpenOptions = {},
  timeout = bulk ? BULK_TIMEOUT : TIMEOUT,
): Promise<SqliteEngine> => {
  const runner = askOwner
    ? await openOwnedFile({ path, schema }, askOwner, { timeout, mayBeUnavailable })
    : await openOwnFile({ path, schema, options: { mustExist, bulk } }, timeout);
  return createEngine(runner, { bulk, observer });
};
