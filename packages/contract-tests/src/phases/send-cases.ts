import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { type Failure, failureOf } from '../exchange/failure.ts';
import { Stopped } from '../exchange/transport.ts';
import type { Case } from '../requests/cases/plain-requests.ts';
import { callOf, validProbeOf } from '../requests/probe.ts';
import type { ValidRequest } from '../requests/valid.ts';
import type { Findings } from '../run-check.ts';
import type { Session } from '../session.ts';

const MOST_FAILURES = 5;
const SAMPLES = 30;

/** Sends the cases in order until too many have failed. */
export const sendCases = async (
  session: Session,
  operation: Operation,
  cases: readonly Case[],
): Promise<Findings> => {
  const failures: Failure[] = [];
  const sendCase = async ({ name, request, written, keepsPath, mayRefuse = false }: Case): Promise<void> => {
    const made = keepsPath
      ? callOf(operation, request, session.bodies)
      : await session.callOf(operation, request);
    const call = written ? { ...made, body: written } : made;
    const judged = await session.send({ ...validProbeOf(call), name, kind: name, mayRefuse });
    const failure = failureOf({ name, call }, judged);
    if (failure) failures.push(failure);
  };
  try {
    for (const each of cases) if (failures.length < MOST_FAILURES) await sendCase(each);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  return { failures, notes: [] };
};

/** Valid requests of an operation, the same in every run. */
export const samplesOf = ({ requestsOf }: Session, operation: Operation): ValidRequest[] =>
  fc.sample(requestsOf(operation), { seed: 1, numRuns: SAMPLES });
