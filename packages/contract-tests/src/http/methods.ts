import { isSecured } from '../document/operations.ts';
import type { Draft, Reply } from '../requests/draft.ts';
import type { Probe } from '../requests/probe.ts';
import { attempt, elsewhere } from './attempt.ts';
import { likenessOf } from './rule.ts';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
const WITH_BODY = ['PUT', 'POST', 'PATCH'];

/**
 * Tries the methods that a path does not declare. A service may answer that there is no such thing, that it does not know
 * the method or the caller, or 405; it must neither do something nor fail.
 */
export const methodAttempts = (
  drafts: readonly Draft[],
  declared: readonly string[],
  others: ReadonlySet<string>,
): Probe[] => {
  const [main] = drafts;
  if (!main) return [];
  const body = drafts.map((draft) => draft.body).find((each) => each !== undefined);

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
    ...(declared.includes('HEAD') ? [] : drafts.flatMap((draft) => headAttempts(draft, declared))),
  ];
};

/** Tries the HEAD of a GET, which every service knows, and which has no body (RFC 9110, sections 9.1 and 9.3.2). */
const headAttempts = (get: Draft, declared: readonly string[]): Probe[] => {
  if (get.operation.method !== 'GET') return [];
  const head = attempt('HEAD', elsewhere(get, { method: 'HEAD' }), { allow: declared });
  const stranger = elsewhere(get, { method: 'HEAD', credentials: [] });
  const anonymous = attempt('HEAD without credentials', stranger, { noSuccess: '401' });
  return isSecured(get.operation) ? [head, anonymous] : [head];
};

/** Tries the HEAD of a GET whose replies are known: it must say the same, as far as it says anything (RFC 9110, section 9.3.2). */
export const headBesideGet = (draft: Draft, replies: readonly Reply[]): Probe[] => {
  const like = likenessOf(replies);
  if (!like) return [];
  const before = [...(draft.before ?? []), { draft, reply: replies[0] }];
  return [attempt('HEAD beside GET', elsewhere(draft, { method: 'HEAD', before }), { like })];
};
