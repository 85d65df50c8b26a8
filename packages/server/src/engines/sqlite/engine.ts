import { type Reason, StoreUnavailable } from '../errors.ts';
import { BULK, createGroupCommit } from '../group-commit.ts';
import type { OpenOptions } from '../options.ts';
import type { Answer, Ask, Value, Writes } from './protocol.ts';

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

/** Whoever runs statements on a file: a thread of this process, or another process. */
export interface Runner {
  ask<Row>(what: Ask): Promise<Answer<Row>>;
  close(): Promise<void>;
}

/** Creates an engine on whoever runs the statements. */
export const createEngine = (
  runner: Runner,
  { bulk = false, observer }: Pick<OpenOptions, 'bulk' | 'observer'>,
): SqliteEngine => {
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

const TOO_LATE: Answer<never> = {
  failure: {
    reason: 'timeout',
    cause: new Error('the disk, or whoever has locked the file, did not answer'),
  },
};

/** The way to a thread that runs statements on a file. */
export interface Channel {
  send(what: Ask): void;
  /** Sets who gets the answers, in order, and who is told that there are no more. */
  receive(onAnswer: (answer: Answer<never>) => void, onEnd: (last?: Answer<never>) => void): void;
  /** Whether an answer keeps the process alive. */
  hold(isHeld: boolean): void;
}

/** Asks a thread over a channel. The first answer comes unasked, once the file is open. */
export const createConversation = (channel: Channel, timeout: number) => {
  const waiting: ((answer: Answer<never>) => void)[] = [];
  let isOver = false;
  let isLate = false;
  let last: Answer<never> = {
    failure: { reason: 'failing', cause: new Error('the thread of the store has ended') },
  };

  const settle = (answer: Answer<never>): void => {
    isLate = false;
    waiting.shift()?.(answer);
    if (waiting.length === 0) channel.hold(false); // an idle store does not keep the process alive
  };
  const wait = <Row>(): Promise<Answer<Row>> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.hold(true);
    });
  channel.receive(settle, (end = last) => {
    isOver = true;
    last = end;
    while (waiting.length > 0) settle(last);
  });

  const waitInTime = <Row>(): Promise<Answer<Row>> =>
    new Promise((resolve) => {
      const deadline = setTimeout(() => {
        isLate = true;
        resolve(TOO_LATE);
      }, timeout);
      void wait<Row>().then((answer) => {
        clearTimeout(deadline);
        resolve(answer);
      });
    });

  return {
    /** Settles once the file is open, or cannot be opened. */
    opened: wait(),
    isOver: () => isOver,
    /** Settles within `timeout`. While an answer is late nothing more is sent, so that requests do not pile up. */
    async ask<Row>(what: Ask): Promise<Answer<Row>> {
      if (isOver) return last;
      if (isLate) return TOO_LATE;
      channel.send(what);
      return waitInTime();
    },
    /** Asks for the end. Settles with whether it has come; a thread that is late ends when it can. */
    async end(): Promise<boolean> {
      if (isOver) return true;
      channel.send('close');
      if (isLate) void wait();
      else await waitInTime();
      return isOver;
    },
  };
};
