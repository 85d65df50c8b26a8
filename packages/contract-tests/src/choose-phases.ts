import { type Credentials, isOutOfReach, missingFor } from './exchange/credentials.ts';
import { createCoveragePhase, createExamplesPhase } from './phases/cases.ts';
import { createHttpPhase } from './phases/http.ts';
import type { Phase } from './phases/phase.ts';
import { createProbingPhases } from './phases/probing.ts';
import { createTransferPhase } from './phases/transfer.ts';
import { createWebhooksPhase } from './phases/webhooks.ts';
import { CannotStart, type Selection, selectOperations, selectPhases } from './selection.ts';
import type { Session } from './session.ts';
import { createStatePhase } from './state/phase.ts';

/** The phases of a run, in their order. */
export const createPhases = (session: Session): Phase[] => [
  createExamplesPhase(session),
  createCoveragePhase(session),
  ...createProbingPhases(session),
  createHttpPhase(session),
  createTransferPhase(session),
  createStatePhase(session),
  ...(session.webhooks ? [createWebhooksPhase(session, session.webhooks)] : []),
];

/** The operations that a selection leaves, and the phases of those that can be called. Throws if credentials are missing. */
export const choosePhases = (session: Session, selection: Selection, credentials: Credentials) => {
  const chosen = selectOperations(session.operations, selection);
  const outOfReach = chosen.filter(isOutOfReach);
  const reachable = chosen.filter((operation) => !outOfReach.includes(operation));
  const missing = reachable.flatMap((operation) => missingFor(operation, credentials) ?? []);
  if (missing.length > 0) throw new CannotStart(missing.join('\n'));
  const phases = selectPhases(createPhases(session), selection).map((phase) => ({
    ...phase,
    // Nothing may be sent to an operation that was left out.
    subjects: phase.subjects.filter(({ operations }) => operations.every((each) => reachable.includes(each))),
  }));
  return { outOfReach, reachable, phases };
};
