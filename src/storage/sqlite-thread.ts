/** The thread that a SQLite file has to itself: SQLite waits for its disk, and whoever calls it waits with it. */
import { parentPort, workerData } from 'node:worker_threads';
import type { NewPlant } from '../plants/plant.ts';
import type { CreateOutcome, Reason } from '../plants/repository.ts';
import type { OpenOptions } from './options.ts';
import { ENOUGH_CHARACTERS, toNewPlant } from './pages.ts';
import { reasonOf } from './sqlite-errors.ts';
import { copyInto, openDatabase, tryToWrite } from './sqlite-file.ts';
import { checkpoint, createLogKeeper } from './sqlite-log.ts';
import { watchPlace } from './sqlite-place.ts';

/** Plants by column: a thread is sent few long lists in half the time of many short ones. */
export interface Columns {
  readonly ids: readonly bigint[];
  readonly names: readonly string[];
  readonly tags: readonly (string | null)[];
}

/** The file that the thread opens when it starts. */
export interface Opening {
  readonly path: string;
  readonly options: Pick<OpenOptions, 'mustExist' | 'bulk'>;
}

/** What the thread is asked, one after the other. To close the file comes last. */
export type Ask =
  | { readonly create: Columns }
  | { readonly from: bigint; readonly count: number }
  | { readonly copyInto: string }
  | 'check'
  | 'close';

/** What it answers: what was asked for, if anything was, or why there is none. Once the file is open it says so, unasked. */
export interface Answer {
  readonly outcomes?: readonly CreateOutcome[];
  readonly page?: readonly NewPlant[];
  readonly plants?: number;
  readonly failure?: { readonly reason: Reason; readonly cause: unknown };
  /** Whether the thread ends with it: only then SQLite has let go of the file, whose statements nobody else can close. */
  readonly isLast?: boolean;
}

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly tag: string | null;
}

/**
 * How many plants (or checks, which write too) go by between two checkpoints. Few: to move those into the file takes little longer than the thread
 * would wait for the next batch, while to move many keeps all who create waiting.
 */
const FEW = 60;

/** As many, where the disk is slow: a checkpoint syncs it twice more. */
const MANY = 500;

/** A disk is slow if a commit takes longer than this, in milliseconds. */
const SLOW = 2;

/**
 * A batch is one transaction and one fsync: with `synchronous=FULL` a commit in WAL mode survives power loss. The
 * conflict rule is decided inside the transaction, so processes on one file agree.
 */
const openTable = async ({ path, options }: Opening) => {
  const database = await openDatabase(path, options);
  const insert = database.prepare(
    'INSERT INTO plants (id, name, tag) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const same = database.prepare('SELECT 1 FROM plants WHERE id = ? AND name = ? AND tag IS ?');
  const select = database.prepare('SELECT id, name, tag FROM plants WHERE id >= ? ORDER BY id LIMIT ?');
  select.setReadBigInts(true);
  const readPlace = watchPlace(database, path);
  const place = readPlace();
  const isInPlace = () => readPlace() === place;
  const log = createLogKeeper(database, { path, place });
  let added = 0;
  let commitTook = 0;

  const createOne = (id: bigint, name: string, tag: string | null): CreateOutcome => {
    if (insert.run(id, name, tag).changes > 0) return 'created';
    return same.get(id, name, tag) ? 'unchanged' : 'conflict';
  };

  /** After the commit, not before: whoever takes the file away later takes away what was acknowledged before. */
  const mindPlace = (): void => {
    if (!isInPlace()) throw new Error(`${path} or its log was removed or replaced`);
  };

  return {
    create({ ids, names, tags }: Columns): CreateOutcome[] {
      try {
        database.exec('BEGIN IMMEDIATE');
        const outcomes = ids.map((id, index) => createOne(id, names[index] ?? '', tags[index] ?? null));
        const began = performance.now();
        database.exec('COMMIT');
        commitTook = performance.now() - began;
        added += ids.length;
        mindPlace();
        return outcomes;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    read(from: bigint, count: number): NewPlant[] {
      const rows: Iterable<Row> = select.iterate(from, count);
      const page: NewPlant[] = [];
      let characters = 0;
      for (const { id, name, tag } of rows) {
        page.push(toNewPlant(id, name, tag));
        characters += name.length + (tag?.length ?? 0);
        if (characters >= ENOUGH_CHARACTERS) break;
      }
      return page;
    },
    /** To be called once those who are answered have their answers: they need not wait for this. */
    tidy(): void {
      if (added < (commitTook > SLOW ? MANY : FEW) || options.bulk) return;
      added = 0;
      log.tidy();
    },
    check(): void {
      tryToWrite(database);
      added += 1;
      mindPlace();
    },
    copyInto: (file: string): number => copyInto(database, file),
    isInPlace,
    close(): void {
      log.close();
      // What is in the log belongs to the file that was taken away, and would be read into the one that replaces it.
      if (!isInPlace()) checkpoint(database, 'TRUNCATE');
      database.close();
    },
  };
};

type Table = Awaited<ReturnType<typeof openTable>>;

const toAnswer = (table: Table, ask: Ask): Answer => {
  if (ask === 'check') table.check();
  else if (ask === 'close') return { isLast: true };
  else if ('create' in ask) return { outcomes: table.create(ask.create) };
  else if ('copyInto' in ask) return { plants: table.copyInto(ask.copyInto) };
  else return { page: table.read(ask.from, ask.count) };
  return {};
};

const toFailure = (cause: unknown): Answer => ({ failure: { reason: reasonOf(cause), cause } });

const answer = (table: Table, ask: Ask): Answer => {
  try {
    return toAnswer(table, ask);
  } catch (cause) {
    // What SQLite could open only to be read stays so, whatever becomes of the file.
    const isLast = !table.isInPlace() || reasonOf(cause) === 'readonly';
    return { ...toFailure(cause), isLast };
  }
};

const serve = (table: Table): void => {
  parentPort?.on('message', (ask: Ask) => {
    const answered = answer(table, ask);
    parentPort?.postMessage(answered);
    if (!answered.isLast) return table.tidy();
    parentPort?.close();
    table.close();
  });
  parentPort?.postMessage({});
};

const opening: Opening = workerData;
await openTable(opening).then(serve, (cause: unknown) =>
  parentPort?.postMessage({ ...toFailure(cause), isLast: true }),
);
