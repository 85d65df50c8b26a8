import { StoreUnavailable } from '../errors.ts';
import { follow } from '../follow.ts';
import type { CommitObserver } from '../group-commit.ts';
import type { SqlResult, SqlStatement, SqlTransaction, TransactionOptions } from '../sql.ts';
import type { Runner } from './conversation.ts';
import type { Ask } from './protocol.ts';
import { toResult, toStatement } from './values.ts';

/** How much longer than a transaction may take we wait for the thread to say so, in milliseconds. */
const GRACE = 500;

/** A timer may be early by a millisecond or so. */
const ALMOST = 5;

const timedOut = (): StoreUnavailable =>
  new StoreUnavailable('timeout', { cause: new Error('the transaction took longer than it may') });

const OVER = 'the transaction is over: it was committed or rolled back, or a statement failed; begin another';

/** Begins transactions at whoever writes to a file. They are numbered, since requests of all of them go one way. */
export const createTransactions = (writer: Runner, observer: CommitObserver | undefined) => {
  const active = new Set<Promise<void>>();
  let last = 0;

  /** A transaction is over when it finishes, or when its time is up; whoever ends it may have to wait longer. */
  const track = (timeout: number) => {
    let finish = () => {};
    const ended = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const timer = setTimeout(finish, timeout).unref();
    const hold = (): void => clearTimeout(timer);
    active.add(ended);
    void ended.then(() => {
      hold();
      active.delete(ended);
    });
    return { finish, hold };
  };

  const commitAt = async (work: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    const secondsSince = () => (performance.now() - began) / 1000;
    try {
      await follow(observer, work);
      observer?.committed(1, secondsSince());
    } catch (error) {
      observer?.failed(secondsSince());
      throw error;
    }
  };

  /** Nothing is asked before the first statement, which waits for the writers before it. */
  const begin = async ({ timeout }: TransactionOptions): Promise<SqlTransaction> => {
    last += 1;
    const transaction = last;
    const deadline = performance.now() + timeout;
    const { finish, hold } = track(timeout);
    let state: 'new' | 'open' | 'over' = 'new';
    let turn: Promise<unknown> = Promise.resolve();

    const end = (): void => {
      state = 'over';
      finish();
    };
    const timeLeft = (): number => {
      const left = deadline - performance.now();
      if (left <= 0) throw timedOut();
      if (state === 'over') throw new Error(OVER);
      return left;
    };
    /** One request after the other, also if the caller does not wait. */
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const done = turn.then(work);
      turn = done.catch(() => {});
      return done;
    };
    const ask = async <Row>(what: Ask, within?: number): Promise<SqlResult<Row>> => {
      const answer = await writer.ask<Row>(what, within);
      if (answer.failure) end();
      if (answer.failure?.reason === 'unreachable' && performance.now() + ALMOST >= deadline)
        throw timedOut();
      return toResult(answer);
    };

    return {
      run: async <Row>(statement: SqlStatement) => {
        const asked = { transaction, run: toStatement(statement) };
        return inTurn(() => {
          const left = timeLeft();
          const isFirst = state === 'new';
          state = 'open';
          return ask<Row>(isFirst ? { ...asked, begin: left } : asked, left + GRACE);
        });
      },
      commit: () =>
        inTurn(async () => {
          timeLeft();
          hold();
          if (state === 'open') await commitAt(() => ask({ transaction, end: 'COMMIT' }));
          end();
        }),
      rollback: () =>
        inTurn(async () => {
          hold();
          try {
            if (state === 'open') toResult(await writer.ask({ transaction, end: 'ROLLBACK' }));
          } finally {
            end();
          }
        }),
    };
  };

  return {
    begin,
    /** Settles once every transaction has ended, or its time is up. */
    drain: async (): Promise<void> => void (await Promise.all(active)),
  };
};
