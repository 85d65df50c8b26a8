import fc from 'fast-check';
import type { Contract } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import { findWrongExamples } from '../document/wrong-examples.ts';
import { type Failure, failureOf } from '../exchange/failure.ts';
import { Stopped } from '../exchange/transport.ts';
import { validProbeOf } from '../requests/call.ts';
import { createBodyCases, createParameterCases } from '../requests/edge-cases.ts';
import { createExampleCases } from '../requests/example-cases.ts';
import { type Case, createPlainRequests, inTurns } from '../requests/plain-requests.ts';
import { callOf, type ValidRequest } from '../requests/valid.ts';
import { BadSchema } from '../schemas/oracle.ts';
import type { Session } from '../session.ts';
import { eachOperation, type Findings, MOST_FAILURES, type Phase } from './phase.ts';

const SAMPLES = 30;

/** Sends the cases in order until too many have failed. */
const sendCases = async (
  session: Session,
  operation: Operation,
  cases: readonly Case[],
): Promise<Findings> => {
  const failures: Failure[] = [];
  const sendCase = async ({ name, request, written, keepsPath, mayRefuse = false }: Case): Promise<void> => {
    const made = keepsPath
      ? callOf(operation, request, session.contract.request)
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
  const { contract, operations, requests } = session;
  const { request } = contract;
  const plainRequests = createPlainRequests(request);
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

/** The most cases of an operation per requested request: 400 cases by default. */
const MOST_PER_REQUEST = 4;

const hasInput = ({ parameters, body }: Operation): boolean => parameters.length > 0 || body !== undefined;

/** The phase that sends valid edge cases, one at a time, the same in every run. */
export const createCoveragePhase = (session: Session): Phase => {
  const { contract, operations, requests } = session;
  const { request } = contract;
  const plainRequests = createPlainRequests(request);
  const parameterCases = createParameterCases(request, plainRequests);
  const bodyCases = createBodyCases(request, plainRequests);
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
    // If plain data fails, edge cases fail too and would hide the cause.
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
