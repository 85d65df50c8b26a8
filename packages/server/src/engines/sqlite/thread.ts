/** The thread that owns a SQLite file: SQLite blocks its caller while it waits for the disk. */
import { parentPort, workerData } from 'node:worker_threads';
import { watchIdentity } from './disk.ts';
import { reasonOf } from './errors.ts';
import { checkpoint, copyInto, openDatabase, tryToWrite } from './file.ts';
import type { Answer, Ask, Opening, Value, Writes } from './protocol.ts';
import { type Respond, serveProcesses } from './shared/serve.ts';

/**
 * Writes (and checks, which write too) between two checkpoints. Few: to move those into the file takes little longer
 * than the thread would wait for the next batch, while a large checkpoint keeps every writer waiting.
 */
const FEW = 60;

/** The same on a slow disk: a checkpoint syncs it twice more. */
const MANY = 500;

/** A disk is slow if a commit takes longer than this, in milliseconds. */
const SLOW = 2;

const lengthOf = (row: object): number => {
  let length = 0;
  for (const value of Object.values(row)) if (typeof value === 'string') length += value.length;
  return length;
};

/**
 * A batch is one transaction and one fsync: with `synchronous=FULL` a commit in WAL mode survives power loss. Statements
 * see each other's rows inside the transaction, so all processes on one file agree.
 */
const openFile = async ({ path, schema, options }: Opening) => {
  const database = await openDatabase(path, schema, options);
  const identify = watchIdentity(database, path);
  const identity = identify();
  const isSameFile = () => identify() === identity;
  let written = 0;
  let commitTook = 0;

  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  /** Tells whether a statement changed or found a row. SQLite counts no changes for one that only finds. */
  const prepareAttempt = (sql: string): ((values: readonly Value[]) => boolean) => {
    const statement = prepare(sql);
    return statement.columns().length > 0
      ? (values) => statement.get(...values) !== undefined
      : (values) => statement.run(...values).changes > 0;
  };
  const remember = <T>(make: (sql: string) => T): ((sql: string) => T) => {
    const made = new Map<string, T>();
    return (sql) => {
      const found = made.get(sql) ?? make(sql);
      made.set(sql, found);
      return found;
    };
  };
  const [statementOf, attemptOf] = [remember(prepare), remember(prepareAttempt)];

  /** Checked after the commit: if the file is removed later, acknowledged rows go with it, as they would at any time. */
  const checkFile = (): void => {
    if (!isSameFile()) throw new Error(`${path} or its log was removed or replaced`);
  };
  const writeAll = ({ attempts, count, columns }: Writes): number[] => {
    const prepared = attempts.map(attemptOf);
    return Array.from({ length: count }, (_, index) => {
      const values = columns.map((column) => column[index] ?? null);
      return prepared.findIndex((attempt) => attempt(values));
    });
  };

  return {
    write(batch: readonly Writes[]): number[] {
      try {
        database.exec('BEGIN IMMEDIATE');
        const hits = batch.flatMap(writeAll);
        const began = performance.now();
        database.exec('COMMIT');
        commitTook = performance.now() - began;
        written += hits.length;
        checkFile();
        return hits;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    read(sql: string, values: readonly Value[], characters: number): unknown[] {
      const rows: unknown[] = [];
      let length = 0;
      for (const row of statementOf(sql).iterate(...values)) {
        rows.push(row);
        length += lengthOf(row);
        if (length >= characters) break;
      }
      return rows;
    },
    /** Makes a checkpoint if it is time. Called after the answers are sent, so that nobody waits for it. */
    tidy(): void {
      if (written < (commitTook > SLOW ? MANY : FEW) || options.bulk) return;
      written = 0;
      checkpoint(database, 'PASSIVE'); // blocks no reader, and leaves what readers still need
    },
    check(): void {
      tryToWrite(database, schema);
      written += 1;
      checkFile();
    },
    copyInto: (file: string, count: string): number => copyInto(database, file, count),
    isSameFile,
    close(): void {
      // The log belongs to the file that was removed, and SQLite would read it into the one that replaces that.
      if (!isSameFile()) checkpoint(database, 'TRUNCATE');
      database.close();
    },
  };
};

type File = Awaited<ReturnType<typeof openFile>>;

type FileAsk = Exclude<Ask, 'listen'>;

const toAnswer = (file: File, ask: FileAsk): Answer => {
  if (ask === 'check') file.check();
  else if (ask === 'close') return { isLast: true };
  else if ('write' in ask) return { hits: file.write(ask.write) };
  else if ('copyInto' in ask) return { counted: file.copyInto(ask.copyInto, ask.count) };
  else return { rows: file.read(ask.read, ask.values, ask.characters) };
  return {};
};

const toFailure = (cause: unknown): Answer => ({ failure: { reason: reasonOf(cause), cause } });

const answer = (file: File, ask: FileAsk): Answer => {
  try {
    return toAnswer(file, ask);
  } catch (cause) {
    // A connection that SQLite could only open to read stays read-only, whatever becomes of the file.
    const isLast = !file.isSameFile() || reasonOf(cause) === 'readonly';
    return { ...toFailure(cause), isLast };
  }
};

const serve = (file: File, { path }: Opening): void => {
  let isOver = false;
  const respond: Respond = (ask, send) => {
    if (isOver) return send(toFailure(new Error('the thread of the store ends')));
    if (ask === 'listen')
      return void processes.listen(path).then(
        (socket) => send({ socket }),
        (cause) => send(toFailure(cause)),
      );
    const answered = answer(file, ask);
    send(answered);
    if (!answered.isLast) return file.tidy();
    isOver = true;
    parentPort?.postMessage(answered); // even if another process has asked
    parentPort?.close();
    processes.close();
    file.close();
  };
  const processes = serveProcesses(respond);
  parentPort?.on('message', (ask: Ask) => respond(ask, (answered) => parentPort?.postMessage(answered)));
  parentPort?.postMessage({}); // the file is open
};

const opening: Opening = workerData;
await openFile(opening)
  .then((file) => serve(file, opening))
  .catch((cause: unknown) => parentPort?.postMessage({ ...toFailure(cause), isLast: true }));
