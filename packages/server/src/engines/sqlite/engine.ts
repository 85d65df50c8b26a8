import { type Reason, StoreUnavailable } from '../errors.ts';
import { BULK, createGroupCommit } from '../group-commit.ts';
import type { OpenOptions } from '../options.ts';
import type { SqliteSchema } from './file.ts';
import { type Runner, startLastingThread } from './lasting-thread.ts';
import type { Answer, Ask, Opening, Value, Writes } from './protocol.ts';
import { openOwnedFile } from './shared/owned-file.ts';

/** How long a batch may take, in milliseconds: longer than others may keep the file locked. */
const TIMEOUT = 10_000;

/** The same for bulk writes: their batches are large, and may wait for a checkpoint on a slow disk. */
const BULK_TIMEOUT = 120_000;

interface Write {
  readonly attempts: readonly string[];
  readonly values: readonly Value[];
}

/** Joins writes that follow each other with the same statements. */
const toBatch = (items: readonly Write[]): Writes[] => {
  const batch: Writes[] = [];
  for (let start = 0; start < items.length; ) {
    const { attempts, values } = items[start] ?? { attempts: [], values: [] };
    let end = start + 1;
    while (end < items.length && items[end]?.attempts === attempts) end += 1;
    const some = items.slice(start, end);
    const columns = values.map((_, column) => some.map((write) => write.values[column] ?? null));
    batch.push({ attempts, count: some.length, columns });
    start = end;
  }
  return batch;
};

/** Runs statements on one file. Statements stay prepared, so pass what varies as values. */
export interface SqliteEngine {
  /**
   * Tries statements one after the other, until one changes or finds a row, and gives its index, or -1. Each gets all the
   * values. They run in one transaction, which is on disk once this settles; concurrent writes share one (keep
   * `attempts` in a constant, so that they can). Rejects with StoreUnavailable, or with StoreOverloaded if nothing was
   * tried.
   */
  write(attempts: readonly string[], values: readonly Value[]): Promise<number>;
  /**
   * Gives the rows that a statement finds, integers as bigint. Stops after the row that brings the texts to so many
   * `characters`, if that is given. Rejects with StoreUnavailable.
   */
  read<Row>(sql: string, values: readonly Value[], characters?: number): Promise<readonly Row[]>;
  /** Tells, by writing, why a write would fail now; `undefined` if it would not. */
  check(): Promise<Reason | undefined>;
  /** Finishes what was accepted, then releases the file. */
  close(): Promise<void>;
}

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

  const ask = async <Row>(what: Ask): Promise<Answer<Row>> => {
    const answer = await runner.ask<Row>(what);
    if (answer.failure) throw new StoreUnavailable(answer.failure.reason, { cause: answer.failure.cause });
    return answer;
  };

  const { submit, drain } = createGroupCommit(
    async (items: readonly Write[]) => (await ask({ write: toBatch(items) })).hits ?? [],
    bulk ? BULK : {},
    observer,
  );

  return {
    write: (attempts, values) => submit({ attempts, values }),
    read: async <Row>(sql: string, values: readonly Value[], characters = Number.POSITIVE_INFINITY) =>
      (await ask<Row>({ read: sql, values, characters })).rows ?? [],
    check: async () => (await runner.ask('check')).failure?.reason,
    async close() {
      await drain();
      await runner.close();
    },
  };
};
