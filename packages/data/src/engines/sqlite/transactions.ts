import type { SqlResult, SqlStatement, SqlTransaction } from '../engine.ts';
import { StoreUnavailable } from '../errors.ts';
import { type CommitObserver, observeAlone } from '../group-commit.ts';
import { createSlots, createTurns, type Slot } from '../slots.ts';
import { toError } from './errors.ts';
import { type Answer, type Ask, commonTime } from './protocol.ts';
import { toResult, toStatement } from './values.ts';
import type { Runner } from './worker.ts';

/** How much longer than the timeout of a transaction the engine waits for the thread's answer, in milliseconds. */
const GRACE = 500;

/** The result of a statement without rows that has changed no row. */
const NOTHING = 0;

const hasEnded = (): Error => new Error('the transaction has ended');
const isTooLate = (): Error => new StoreUnavailable('timeout');

/** Begins a transaction. Nothing is asked before the first statement, which waits for the writers before it. */
const beginTransaction = (
  writer: Runner,
  transaction: number,
  { timeout, slot, observer }: { timeout: number; slot: Slot; observer: CommitObserver | undefined },
): SqlTransaction => {
  const until = commonTime() + timeout;
  let hasBegun = false;
  /** Makes the reason why nothing more can be done here: the first failure, that its time is up, or that it has ended. */
  let closed: (() => Error) | undefined;
  const inTurn = createTurns();

  const close = (reason: () => Error): void => {
    closed ??= reason;
    clearTimeout(timer);
    slot.leave();
  };
  const timer = setTimeout(() => close(isTooLate), timeout).unref();

  const checkOpen = (): void => {
    if (closed) throw closed();
  };
  const ask = async <Row>(what: Ask, within?: number): Promise<Answer<Row>> => {
    const answer = await writer.ask<Row>(what, within);
    if (!answer.failure) return answer;
    const error = toError(answer.failure);
    close(() => error);
    throw closed?.() ?? error;
  };
  /** The thread ends the transaction, and may take longer than its time. */
  const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    clearTimeout(timer);
    if (hasBegun) await ask({ transaction, end: how });
    close(hasEnded);
  };
  const run = async <Row>(statement: SqlStatement): Promise<SqlResult<Row>> => {
    const asked = { transaction, run: toStatement(statement) };
    return inTurn(async () => {
      checkOpen();
      const left = until - commonTime();
      const first = hasBegun ? {} : { until };
      hasBegun = true;
      const { result = NOTHING } = await ask<Row>({ ...asked, ...first }, left + GRACE);
      return toResult(result);
    });
  };
  return {
    run,
    commit: () =>
      inTurn(async () => {
        checkOpen();
        await (hasBegun ? observeAlone(observer, () => end('COMMIT')) : end('COMMIT'));
      }),
    rollback: () => inTurn(async () => void (closed || (await end('ROLLBACK')))),
  };
};

/** Creates transactions on the runner that writes to a file. Numbers tell their requests apart on one channel. */
export const createTransactions = (writer: Runner, observer: CommitObserver | undefined) => {
  const slots = createSlots(Number.POSITIVE_INFINITY, 1); // no slot waits: the thread limits the queue
  let last = 0;
  return {
    async begin({ timeout }: { readonly timeout: number }): Promise<SqlTransaction> {
      last += 1;
      return beginTransaction(writer, last, { timeout, slot: slots.enter(), observer });
    },
    /** Settles once every transaction has ended, or its time is up. */
    drain: slots.drain,
  };
};
