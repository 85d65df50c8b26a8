import { BULK, createGroupCommit } from '../group-commit.ts';
import type { OpenOptions } from '../options.ts';
import type { Runner } from './conversation.ts';
import { toUnavailable } from './errors.ts';
import type { Answer, Ask, Failure, Value, Writes } from './protocol.ts';

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
  check(): Promise<Failure['reason'] | undefined>;
  /** Finishes what was accepted, then releases the file. */
  close(): Promise<void>;
}

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

/** Creates an engine on whoever runs the statements. */
export const createEngine = (
  runner: Runner,
  { bulk = false, observer }: Pick<OpenOptions, 'bulk' | 'observer'>,
): SqliteEngine => {
  const ask = async <Item>(what: Ask): Promise<Answer<Item>> => {
    const answer = await runner.ask<Item>(what);
    if (answer.failure) throw toUnavailable(answer.failure);
    return answer;
  };

  const { submit, drain } = createGroupCommit(
    async (items: readonly Write[]) => (await ask<number>({ write: toBatch(items) })).results ?? [],
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
