import type { Contract } from '../document/contract.ts';
import { conceal } from '../exchange/credentials.ts';
import { type Failure, operationOf } from '../exchange/failure.ts';
import { addHeaders, type Exchange, type Reply, toWire, urlOf } from '../requests/draft.ts';
import {
  countFailures,
  countsOf,
  errorsIn,
  type PhaseResult,
  type Results,
  type SubjectResult,
} from './results.ts';
import { concealHeader, type Header, showVariables } from './secrets.ts';

/** What a report says about the run itself. */
export interface RunFacts {
  readonly spec: string;
  readonly url: string;
  readonly seed: number;
  readonly requests: number;
  readonly began: Date;
  readonly milliseconds: number;
  readonly headers: readonly Header[];
}

/** The longest body that a report holds, in bytes. */
const LONGEST = 100_000;

const bodyOf = (bytes: Buffer | undefined): object | null => {
  if (!bytes || bytes.length === 0) return null;
  const shown = bytes.subarray(0, LONGEST);
  const text = shown.toString('utf8');
  const isText = Buffer.from(text).equals(shown);
  return {
    ...(isText ? { text: showVariables(text) } : { base64: shown.toString('base64') }),
    ...(bytes.length > LONGEST && { bytes: bytes.length }),
  };
};

/** A cookie that the service sets may let somebody in. */
const replyOf = ({ status, headers, body }: Reply): object => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, name === 'set-cookie' ? '…' : value]),
  ),
  body: bodyOf(body),
});

const exchangeOf = ({ draft, reply }: Exchange, { url, headers }: RunFacts): object => {
  const request = addHeaders(headers.map(concealHeader), toWire(draft, conceal));
  return {
    operation: draft.operation.id,
    request: {
      method: request.method,
      url: showVariables(urlOf(url, request)),
      headers: request.headers.map(([name, value]) => ({ name, value: showVariables(value) })),
      body: bodyOf(request.body),
    },
    reply: reply ? replyOf(reply) : null,
  };
};

/** Writes a run as JSON. `docs/how-to/test-a-contract.md` describes the members. */
export const renderJson = (
  results: Results,
  facts: RunFacts,
  { nameOf }: Pick<Contract, 'nameOf'>,
  tell: (failure: Failure) => string,
): string => {
  const { phases, notes, end } = results;
  const failureOf = (failure: Failure): object => ({
    operation: operationOf(failure).id,
    name: failure.name,
    what: failure.breach.what,
    place: nameOf(failure.breach.at),
    pointer: failure.breach.at,
    exchanges: failure.exchanges.map((exchange) => exchangeOf(exchange, facts)),
    text: tell(failure),
  });
  const subjectOf = (result: SubjectResult): object => ({
    title: result.subject.title,
    operations: result.subject.operations.map(({ id, method, path }) => ({ id, method, path })),
    milliseconds: Math.round(result.milliseconds),
    ...countsOf([result]),
    ...(result.problem !== undefined && { problem: result.problem }),
    ...(result.error && { error: String(result.error.stack) }),
    found: result.outcome.failures.map(failureOf),
  });
  const phaseOf = ({ phase, subjects }: PhaseResult): object => ({
    name: phase.name,
    promise: phase.promise,
    ...countsOf(subjects),
    subjects: subjects.map(subjectOf),
  });
  return `${JSON.stringify(
    {
      version: 1,
      spec: facts.spec,
      url: facts.url,
      seed: facts.seed,
      requestsPerOperation: facts.requests,
      began: facts.began.toISOString(),
      milliseconds: Math.round(facts.milliseconds),
      isKept: countFailures(results) === 0 && end?.kind !== 'away' && errorsIn(results).length === 0,
      end: end ? { why: end.why, leftOut: end.leftOut } : null,
      ...countsOf(phases.flatMap(({ subjects }) => subjects)),
      phases: phases.map(phaseOf),
      notes,
    },
    null,
    2,
  )}\n`;
};
