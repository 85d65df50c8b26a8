import type { Operation } from '../document/operations.ts';
import { createExampleCases } from '../requests/cases/example-cases.ts';
import { createPlainRequests } from '../requests/cases/plain-requests.ts';
import type { Session } from '../session.ts';
import { eachOperation, type Phase } from './phase.ts';
import { samplesOf, sendCases } from './send-cases.ts';

const hasInput = ({ parameters, body }: Operation): boolean => parameters.length > 0 || body !== undefined;

/** The phase that sends every example of the contract, and every default, as it is. */
export const createExamplesPhase = (session: Session): Phase => {
  const { contract, bodies, operations, requests } = session;
  const { request } = contract;
  const plainRequests = createPlainRequests(request, bodies);
  const casesOf = createExampleCases(request, plainRequests);
  return {
    name: 'examples',
    promise: 'the examples of the contract get a declared answer',
    subjects: eachOperation(operations.filter(hasInput), (operation) => {
      const cases = casesOf(operation, plainRequests.forOperation(operation, samplesOf(session, operation)));
      return sendCases(session, operation, cases.slice(0, requests));
    }),
  };
};
