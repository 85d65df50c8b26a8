import type { Answer, Failure } from '../protocol.ts';
import type { Connection } from './connection.ts';

/** Sends an answer to the caller. */
export type Send = (answer: Answer) => void;

/** Converts work into answers, and sends them. */
export interface Answers {
  attempt(work: () => Answer): Answer;
  deliver(answer: Answer, send: Send): void;
}

/** How long others may join after the first transaction has ended, in milliseconds. */
const JOIN_WITHIN = 10;

/** How long no commit is shared after one has failed, in milliseconds: longer than a transaction is repeated. */
const ALONE_FOR = 3000;

/** The answer to a request that has failed for a reason of the queue. */
export const failed = (reason: Failure['reason'], message: string): Answer => ({
  failure: { reason, cause: new Error(message) },
});

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
export const shareCommits = (connection: Connection, { attempt, deliver }: Answers) => {
  let ended: Ended[] = [];
  let joinUntil = 0;
  let aloneUntil = 0;

  /** Gives all who wait their answers, or the failure of the commit. */
  const settle = (answer: Answer): void => {
    const all = ended;
    ended = [];
    deliver(answer, (given) => {
      for (const { answer: own, send } of all) send(given.failure ? given : own);
    });
  };
  /** Makes all waiting transactions retry. The culprit may be unknown: alone, each gets its own answer. */
  const undo = (isLast = false): void => {
    aloneUntil = performance.now() + ALONE_FOR;
    settle({ ...UNDONE, isLast });
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
        return deliver(answer.failure ? answer : UNDONE, send);
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
      if (answer.failure?.fault !== undefined && ended.length > 1) undo(answer.isLast);
      else settle(answer);
    },
    /** Drops pending replies; callers get the thread's exit. */
    close(): void {
      ended = [];
    },
  };
};
