import type { Operation } from '../document/operations.ts';
import { createVariations } from '../generation/awkward/variations.ts';
import { createBodyCases } from '../requests/cases/body-cases.ts';
import { createParameterCases } from '../requests/cases/parameter-cases.ts';
import { type Case, createPlainRequests, inTurns } from '../requests/cases/plain-requests.ts';
import type { Session } from '../session.ts';
import { eachOperation, type Phase } from './phase.ts';
import { samplesOf, sendCases } from './send-cases.ts';

/** The most cases of an operation per requested request: 400 cases by default. */
const MOST_PER_REQUEST = 4;

const hasInput = ({ parameters, body }: Operation): boolean => parameters.length > 0 || body !== undefined;

/** The phase that sends valid but awkward data, one awkward part at a time, the same in every run. */
export const createCoveragePhase = (session: Session): Phase => {
  const { contract, bodies, operations, requests } = session;
  const { request } = contract;
  const plainRequests = createPlainRequests(request, bodies);
  const variationsOf = createVariations(request.flatten, request, plainRequests.plainOf);
  const parameterCases = createParameterCases(plainRequests, variationsOf);
  const bodyCases = createBodyCases(plainRequests, variationsOf);
  const most = requests * MOST_PER_REQUEST;

  const run = async (operation: Operation) => {
    const samples = samplesOf(session, operation);
    const made = plainRequests.forOperation(operation, samples);
    const plainCases: Case[] = [
      { name: 'plain request', request: made.make(0, false) },
      { name: 'plain request with all that is optional', request: made.make(1, true) },
      ...made.contents.slice(1).map((content, index) => ({
        name: `plain request with a body of ${content.mediaType}`,
        request: made.make(index + 2, true, content),
      })),
    ];
    const first = await sendCases(session, operation, plainCases);
    // If plain data fails, awkward data fails too and would hide the cause.
    if (first.failures.length > 0) return first;
    const rest = inTurns([parameterCases(operation, made), bodyCases(made)]);
    const left = Math.max(0, most - plainCases.length);
    return sendCases(session, operation, rest.slice(0, left));
  };

  return {
    name: 'coverage',
    promise: 'valid requests with awkward data get a declared answer',
    subjects: eachOperation(operations.filter(hasInput), run),
  };
};
