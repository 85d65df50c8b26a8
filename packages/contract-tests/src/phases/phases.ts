import type { Session } from '../session.ts';
import { createStatePhase } from '../state/phase.ts';
import { createWebhooksPhase } from '../webhooks/phase.ts';
import { createCoveragePhase } from './coverage.ts';
import { createExamplesPhase } from './examples.ts';
import { createHttpPhase } from './http.ts';
import type { Phase } from './phase.ts';
import { createProbingPhases } from './probing.ts';
import { createTransferPhase } from './transfer.ts';

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
