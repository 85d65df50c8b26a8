import { single } from '../exchange/breach.ts';
import type { Answer } from '../requests/draft.ts';
import { type Attempt, crashOf, elsewhere, isSecured, isStub, isSuccess, type Sample } from './attempt.ts';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
const WITH_BODY = ['PUT', 'POST', 'PATCH'];

/** What is wrong with a 405: it must say which methods there are (RFC 9110, section 15.5.6). */
const judgeAllow = (method: string, declared: readonly string[], answer: Answer): string | undefined => {
  if (answer.status !== 405 || isStub(answer)) return undefined;
  const allow = single(answer.headers.allow);
  if (allow === undefined) return '405 without the header Allow';
  const allowed = allow.split(',').map((method) => method.trim().toUpperCase());
  const missing = declared.filter((method) => !allowed.includes(method));
  if (missing.length > 0) return `the header Allow leaves out ${missing.join(', ')}`;
  // Many services name OPTIONS by default.
  return method !== 'OPTIONS' && allowed.includes(method)
    ? `405 for ${method}, which the header Allow names`
    : undefined;
};

/**
 * Tries the methods that a path does not declare. A service may answer that there is no such thing, that it does not know
 * the method or the caller, or 405; it must neither do something nor fail.
 */
export const methodAttempts = (samples: readonly Sample[], others: ReadonlySet<string>): Attempt[] => {
  const declared = samples.map(({ operation }) => operation.method);
  const [main] = samples;
  if (!main) return [];
  const body = samples.map(({ draft }) => draft.body).find((each) => each !== undefined);

  const undeclared = METHODS.filter((method) => !declared.includes(method) && !others.has(method)).map(
    (method): Attempt => ({
      name: `${method}, which is not declared`,
      draft: elsewhere(main, { method, body: WITH_BODY.includes(method) ? body : undefined }),
      judge: (answer) =>
        crashOf(answer) ??
        judgeAllow(method, declared, answer) ??
        (isSuccess(answer) ? `expected 405 or 404, got ${answer.status}` : undefined),
    }),
  );
  const options: Attempt = {
    name: 'OPTIONS',
    draft: elsewhere(main, { method: 'OPTIONS', body: undefined }),
    judge: (answer) => crashOf(answer) ?? judgeAllow('OPTIONS', declared, answer),
  };
  /** It sends back whatever credentials it gets, so it is not served (RFC 9110, section 9.3.8). */
  const trace: Attempt = {
    name: 'TRACE, which is not declared',
    draft: elsewhere(main, { method: 'TRACE', body: undefined, credentials: [] }),
    judge: (answer) =>
      crashOf(answer) ?? (isSuccess(answer) ? `expected 405 or 404, got ${answer.status}` : undefined),
  };
  return [
    ...undeclared,
    ...(declared.includes('TRACE') ? [] : [trace]),
    ...(declared.includes('OPTIONS') ? [] : [options]),
    ...(declared.includes('HEAD') ? [] : samples.flatMap((sample) => headAttempts(sample, declared))),
  ];
};

/** Tries the HEAD of a GET, which every service knows, and which has no body (RFC 9110, sections 9.1 and 9.3.2). */
const headAttempts = (sample: Sample, declared: readonly string[]): Attempt[] => {
  if (sample.operation.method !== 'GET') return [];
  const head: Attempt = {
    name: 'HEAD',
    draft: elsewhere(sample, { method: 'HEAD' }),
    judge: (answer) =>
      crashOf(answer) ??
      judgeAllow('HEAD', declared, answer) ??
      (answer.body.length > 0 ? 'a body, where the answer to a HEAD has none' : undefined),
  };
  const anonymous: Attempt = {
    name: 'HEAD without credentials',
    draft: elsewhere(sample, { method: 'HEAD', credentials: [] }),
    judge: (answer) =>
      crashOf(answer) ?? (isSuccess(answer) ? `expected 401, got ${answer.status}` : undefined),
  };
  return isSecured(sample.operation) ? [head, anonymous] : [head];
};
