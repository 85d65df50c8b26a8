import fc from 'fast-check';
import type { Operation } from '../document/operations.ts';
import { createPlain } from '../generation/plain.ts';
import { createExampleCases } from '../requests/cases/example-cases.ts';
import { createPlainRequests } from '../requests/cases/plain-requests.ts';
import type { Session } from '../session.ts';
import { eachOperation, type Phase } from './phase.ts';
import { sendCases } from './send-cases.ts';

const SAMPLES = 30;

const hasInput = ({ parameters, body }: Operation): boolean => parameters.length > 0 || body !== undefined;

/** The phase that sends every example of the contract, and every default, as it is. */
export const createExamplesPhase = (session: Session): Phase => {
  const { contract, readings, bodies, operations, requests } = session;
  const { flatten, accepts, arbitraryOf } = contract.request;
  const plain = createPlain(flatten, { accepts }, arbitraryOf);
  const plainRequests = createPlainRequests(contract.request, readings, bodies, plain);
  const casesOf = createExampleCases(contract.request, plainRequests);
  return {
    name: 'examples',
    promise: 'the examples of the contract get a declared answer',
    subjects: eachOperation(operations.filter(hasInput)),
    run: ({ operations: [operation] }) => {
      if (!operation) throw new Error('a subject without an operation');
      const samples = fc.sample(session.requestsOf(operation), { seed: 1, numRuns: SAMPLES });
      const cases = casesOf(operation, plainRequests.forOperation(operation, samples));
      return sendCases(session, operation, cases.slice(0, requests));
    },
  };
};
