import { toFailure } from '../errors.ts';
import type { Answer, Failure } from '../protocol.ts';
import type { Connection } from './connection.ts';

/** Sends an answer to the caller. */
export type Send = (answer: Answer) => void;

/** How long others may join after the first transaction has ended, in milliseconds. */
const JOIN_WITHIN = 10;

/** How long no commit is shared after one has failed, in milliseconds: longer than a transaction is repeated. */
const ALONE_FOR = 3000;

/** The answer to a request that has failed for a reason of the queue. */
export const failed = (reason: Failure['reason'], message: string): Answer => ({
  failure: { reason, cause: new Error(message) },
});

/** The answer to some work, which may throw. */
export const attempt = (work: () => Answer): Answer => {
  try {
    return work();
  } catch (cause) {
    return toFailure(cause);
  }
};

const UNDONE = failed('busy', 'a transaction that shared the commit has failed it; try again');

/** A transaction that has ended, and its answer. */
interface Ended {
  readonly answer: Answer;
  readonly send: Send;
}

/**
 * Lets transactions that follow each other share a commit, and so one fsync. Each is a separate savepoint. Its answer
 * waits for the commit, even after a rollback: the decision may depend on the writes of earlier transactions.
 */
export const shareCommits = (connection: Connection) => {
  const ended: Ended[] = [];
  let joinUntil = 0;
  let aloneUntil = 0;

  /** Gives all who wait their answers, or the failure of the commit. */
  const settle = ({ failure }: Answer): void => {
    for (const { answer, send } of ended.splice(0)) send(failure ? { failure } : answer);
    connection.tidy();
  };
  /** Makes all waiting transactions retry. The culprit may be unknown: alone, each gets its own answer. */
  const undo = (): void => {
    aloneUntil = performance.now() + ALONE_FOR;
    settle(UNDONE);
  };

  return {
    /** Whether transactions wait for their commit. */
    isDue: (): boolean => ended.length > 0,
    mayJoin: (): boolean => performance.now() < joinUntil,
    /** Ends the transaction that was begun last. */
    end(isKept: boolean, answer: Answer, send: Send) {
      connection.endSavepoint(isKept);
      if (!connection.isTransaction()) {
        if (ended.length > 0) undo();
        return send(answer.failure ? answer : UNDONE);
      }
      const now = performance.now();
      if (ended.length === 0) joinUntil = now < aloneUntil ? now : now + JOIN_WITHIN;
      ended.push({ answer, send });
    },
    /** Commits all that have ended. */
    commit(): void {
      const answer = attempt(() => {
        connection.commit(ended.length);
        return {};
      });
      connection.rollback(); // in case the commit failed
      if (answer.failure?.fault !== undefined && ended.length > 1) undo();
      else settle(answer);
    },
    /** Drops pending answers: the thread ends. */
    close(): void {
      ended.length = 0;
    },
  };
};
