import type { Contract } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import { findWrongExamples } from '../document/wrong-examples.ts';
import { BadSchema } from '../oracle/oracle.ts';
import { createExampleCases } from '../requests/cases/example-cases.ts';
import { createPlainRequests } from '../requests/cases/plain-requests.ts';
import type { Session } from '../session.ts';
import { eachOperation, type Phase } from './phase.ts';
import { samplesOf, sendCases } from './send-cases.ts';

/** Skips wrong schemas: the phases that use them report them. */
const wrongExamplesOf = (contract: Contract, operation: Operation): string[] => {
  try {
    return findWrongExamples(contract, operation);
  } catch (error) {
    if (error instanceof BadSchema) return [];
    throw error;
  }
};

/** The phase that sends every example and default of the contract unchanged. Examples that do not match their schema are notes. */
export const createExamplesPhase = (session: Session): Phase => {
  const { contract, bodies, operations, requests } = session;
  const { request } = contract;
  const plainRequests = createPlainRequests(request, bodies);
  const casesOf = createExampleCases(request, plainRequests);
  return {
    name: 'examples',
    promise: 'the examples of the contract get a declared answer',
    subjects: eachOperation(operations, async (operation) => {
      const cases = casesOf(operation, plainRequests.forOperation(operation, samplesOf(session, operation)));
      const { failures } = await sendCases(session, operation, cases.slice(0, requests));
      return { failures, notes: wrongExamplesOf(contract, operation) };
    }),
  };
};
