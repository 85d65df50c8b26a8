import { type Answer, type Ask, commonTime } from '../protocol.ts';
import type { Connection } from './connection.ts';
import { PATIENCE } from './disk.ts';
import { attempt, failed, type Send, shareCommits } from './shared-commit.ts';

/** How many writers may wait. */
const MOST_WAITING = 1024;

const OVERLOADED = failed('overloaded', `${MOST_WAITING} writers are waiting already`);
const WAITED_TOO_LONG = failed('timeout', 'transactions of others took too long');
const GONE = failed('timeout', 'the transaction was rolled back when its time was up, or its thread ended');

interface Writer {
  /** The number of its transaction, if it is one. */
  readonly transaction?: number;
  /** Whether it may share a commit with transactions before it, which then wait for it. */
  readonly mayJoin?: boolean;
  readonly start: (writer: Writer) => void;
  readonly send: Send;
  /** Limits how long it waits; for a transaction how long it takes in all. */
  readonly timer: NodeJS.Timeout;
}

type TransactionAsk = Extract<Ask, { readonly transaction: number }>;

/**
 * Lets one write after the other, in the order in which they came. A transaction has the connection to itself until it
 * ends. A statement that fails in it ends it, and so does its timer. Then the next one begins, or all that have ended are
 * committed.
 */
const createQueue = (connection: Connection) => {
  const shared = shareCommits(connection);
  const waiting: Writer[] = [];
  let open: Writer | undefined;

  const startNext = (): void => {
    while (!open) {
      const [next] = waiting;
      if (shared.isDue() && !(next?.mayJoin && shared.mayJoin())) {
        shared.commit();
        continue;
      }
      if (!next) return;
      waiting.shift();
      next.start(next);
    }
  };
  const end = ({ timer }: Writer, isKept: boolean, answer: Answer, send: Send): void => {
    clearTimeout(timer);
    open = undefined;
    shared.end(isKept, answer, send);
    startNext();
  };
  /** Ends the transaction that is open, or takes a writer from those that wait. */
  const remove = (writer: Writer) => {
    if (open === writer) return end(writer, false, {}, () => {});
    clearTimeout(writer.timer);
    waiting.splice(waiting.indexOf(writer), 1);
    writer.send(WAITED_TOO_LONG);
  };
  return {
    open: () => open,
    end,
    wait(writer: Omit<Writer, 'timer'>, within: number) {
      if (waiting.length >= MOST_WAITING) return writer.send(OVERLOADED);
      const timed: Writer = { ...writer, timer: setTimeout(() => remove(timed), within) };
      waiting.push(timed);
      startNext();
    },
    /** Runs a statement of a transaction, which is open from now on. */
    runIn(writer: Writer, work: () => Answer, send: Send): void {
      open = writer;
      const answer = attempt(work);
      if (answer.failure) end(writer, false, answer, send);
      else send(answer);
    },
    /** Drops the open transaction and all waiting ones: the thread ends. */
    close(): void {
      for (const writer of [...waiting.splice(0), open]) clearTimeout(writer?.timer);
      open = undefined;
      shared.close();
    },
  };
};

/** Answers the requests to a connection. */
export const queueWriters = (connection: Connection) => {
  const { open, end, wait, runIn, close } = createQueue(connection);

  const deliver = (work: () => Answer, send: Send): void => {
    send(attempt(work));
    connection.tidy();
  };
  const check = (): Answer => {
    connection.check();
    return {};
  };
  return {
    check: (send: Send): void => deliver(check, send),
    /** Does work that takes one turn, once no transaction is open. */
    perform(work: () => Answer, send: Send) {
      if (!open()) return deliver(work, send);
      const start = ({ timer }: Writer): void => {
        clearTimeout(timer);
        deliver(work, send);
      };
      wait({ send, start }, PATIENCE);
    },
    /** Begins a transaction, continues it, or ends it. */
    transact(ask: TransactionAsk, send: Send) {
      const { transaction } = ask;
      const run = (): Answer => ('run' in ask ? { result: connection.run(ask.run) } : {});
      if ('run' in ask && ask.until !== undefined) {
        const left = ask.until - commonTime();
        if (left <= 0) return send(WAITED_TOO_LONG); // the asker has gone, and would not end it
        const begin = (): Answer => {
          connection.beginSavepoint();
          return run();
        };
        const start = (writer: Writer): void => runIn(writer, begin, send);
        return wait({ transaction, mayJoin: left <= PATIENCE, send, start }, left);
      }
      const writer = open();
      const isRollback = 'end' in ask && ask.end === 'ROLLBACK';
      if (!writer || writer.transaction !== transaction) return send(isRollback ? {} : GONE);
      if ('run' in ask) runIn(writer, run, send);
      else end(writer, !isRollback, {}, send);
    },
    close,
  };
};
