import { isSecured, type Operation } from '../document/operations.ts';
import type { Reply } from '../requests/draft.ts';
import { type Attempt, attempt, type Drafted, elsewhere } from './attempt.ts';
import { likenessOf } from './rule.ts';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
const WITH_BODY = ['PUT', 'POST', 'PATCH'];

/**
 * Tries the methods that a path does not declare. A service may answer that there is no such thing, that it does not know
 * the method or the caller, or 405; it must neither do something nor fail.
 */
export const methodAttempts = (
  samples: readonly Drafted[],
  declared: readonly string[],
  others: ReadonlySet<string>,
): Attempt[] => {
  const [main] = samples;
  if (!main) return [];
  const body = samples.map(({ draft }) => draft.body).find((each) => each !== undefined);

  const undeclared = METHODS.filter((method) => !declared.includes(method) && !others.has(method)).map(
    (method) =>
      attempt(
        `${method}, which is not declared`,
        elsewhere(main, { method, body: WITH_BODY.includes(method) ? body : undefined }),
        { allow: declared, noSuccess: '405 or 404' },
      ),
  );
  const options = attempt('OPTIONS', elsewhere(main, { method: 'OPTIONS', body: undefined }), {
    allow: declared,
  });
  // It sends back whatever credentials it gets, so it is not served (RFC 9110, section 9.3.8).
  const trace = attempt(
    'TRACE, which is not declared',
    elsewhere(main, { method: 'TRACE', body: undefined, credentials: [] }),
    { noSuccess: '405 or 404' },
  );
  return [
    ...undeclared,
    ...(declared.includes('TRACE') ? [] : [trace]),
    ...(declared.includes('OPTIONS') ? [] : [options]),
    ...(declared.includes('HEAD') ? [] : samples.flatMap((sample) => headAttempts(sample, declared))),
  ];
};

/** Tries the HEAD of a GET, which every service knows, and which has no body (RFC 9110, sections 9.1 and 9.3.2). */
const headAttempts = (sample: Drafted, declared: readonly string[]): Attempt[] => {
  if (sample.operation.method !== 'GET') return [];
  const head = attempt('HEAD', elsewhere(sample, { method: 'HEAD' }), { allow: declared, noBody: true });
  const anonymous = attempt(
    'HEAD without credentials',
    elsewhere(sample, { method: 'HEAD', credentials: [] }),
    {
      noSuccess: '401',
    },
  );
  return isSecured(sample.operation) ? [head, anonymous] : [head];
};

/** Whether the request of a GET is one of a HEAD of the contract, too. */
const isRequestOf = (head: Operation, { operation, draft }: Drafted): boolean => {
  const sent = new Set([...draft.parameters.keys()].map((each) => `${each.in} ${each.name}`));
  const schemesOf = ({ security }: Operation): string =>
    JSON.stringify(security.map((schemes) => schemes.map(({ name }) => name)));
  return (
    schemesOf(head) === schemesOf(operation) &&
    head.parameters.every((each) => !each.isRequired || sent.has(`${each.in} ${each.name}`))
  );
};

/** Tries the HEAD of a GET whose replies are known: it must say the same, as far as it says anything (RFC 9110, section 9.3.2). */
export const headBesideGet = (
  sample: Drafted,
  replies: readonly Reply[],
  head: Operation | undefined,
): Attempt[] => {
  const like = likenessOf(replies, head !== undefined);
  if (!like || (head && !isRequestOf(head, sample))) return [];
  const get = { draft: sample.draft, reply: replies[0] };
  const before = [...(sample.draft.before ?? []), get];
  return [attempt('HEAD beside GET', elsewhere(sample, { method: 'HEAD', before }), { like, noBody: true })];
};
