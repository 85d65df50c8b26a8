import type { Operation } from '../document/operations.ts';
import { isStub, type Reply, single } from '../requests/draft.ts';
import type { HttpRule, Likeness } from '../requests/probe.ts';

/** Refusals that say a request was not understood. What else a service may answer depends on what it stores. */
const MISUNDERSTOOD = [400, 401, 406, 411, 415, 422, 501];
/** What a service may say to a HEAD that it does not serve. */
const NOT_SERVED = [404, 405, 501];
/** The fields that a HEAD may leave out, but must not say otherwise (RFC 9110, sections 8.6 and 9.3.2). */
const ALIKE = ['content-type', 'content-length', 'etag', 'last-modified', 'location'];

/** Whether a reply is a 2xx, and no HTML page: a page may be there for any path, whatever the contract says. */
export const isSuccess = ({ status, headers }: Reply): boolean =>
  status >= 200 && status < 300 && !/^text\/html\b/i.test(single(headers['content-type']) ?? '');

/** What is wrong with any reply: the service failed. 501 says that it does not know the method (RFC 9110, section 15.6.2). */
const crashOf = (reply: Reply): string | undefined =>
  reply.status >= 500 && reply.status !== 501 && !isStub(reply)
    ? `status ${reply.status}: the service failed`
    : undefined;

/** Whether an answer says that a request was not understood, or there is no answer. */
export const isMisunderstood = (reply: Reply | undefined): boolean =>
  !reply || MISUNDERSTOOD.includes(reply.status) || crashOf(reply) !== undefined;

/** What is wrong with a 405: it must say which methods there are (RFC 9110, section 15.5.6). */
const judgeAllow = (method: string, declared: readonly string[], reply: Reply): string | undefined => {
  if (reply.status !== 405 || isStub(reply)) return undefined;
  const allow = single(reply.headers.allow);
  if (allow === undefined) return '405 without the header Allow';
  const allowed = allow.split(',').map((method) => method.trim().toUpperCase());
  const missing = declared.filter((method) => !allowed.includes(method));
  if (missing.length > 0) return `the header Allow leaves out ${missing.join(', ')}`;
  // Many services name OPTIONS by default.
  return method !== 'OPTIONS' && allowed.includes(method)
    ? `405 for ${method}, which the header Allow names`
    : undefined;
};

/** The fields of a reply by which that to a HEAD is judged. */
const fieldsOf = ({ headers, body, stream }: Reply): Map<string, string> => {
  const fields = new Map(
    ALIKE.flatMap((name) => {
      const value = single(headers[name]);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  if (headers['content-encoding'] === undefined && !fields.has('content-length') && !stream?.isOpen)
    fields.set('content-length', `${body.length}`);
  return fields;
};

/** What several replies to the same GET have in common; `undefined` if a HEAD cannot be compared with them. */
export const likenessOf = (replies: readonly Reply[]): Likeness | undefined => {
  const [first, ...others] = replies;
  // Ranges are defined for GET alone (RFC 9110, section 14.2), and 429 is about the moment.
  if (!first || [206, 429].includes(first.status) || first.status >= 500 || isStub(first)) return undefined;
  if (others.some(({ status }) => status !== first.status)) return undefined;
  const headers = [...fieldsOf(first)].filter(([name, value]) =>
    others.every((other) => fieldsOf(other).get(name) === value),
  );
  return { status: first.status, headers: Object.fromEntries(headers) };
};

const judgeLikeness = ({ status, headers }: Likeness, reply: Reply): string | undefined => {
  if (isStub(reply) || reply.status === 429 || NOT_SERVED.includes(reply.status)) return undefined;
  if (reply.status !== status) return `GET got ${status}, HEAD got ${reply.status}`;
  const isSame = (name: string, one: string, other: string): boolean =>
    name === 'content-type'
      ? one.replaceAll(/\s/g, '').toLowerCase() === other.replaceAll(/\s/g, '').toLowerCase()
      : one === other;
  for (const [name, value] of Object.entries(headers)) {
    const said = single(reply.headers[name]);
    if (said !== undefined && !isSame(name, said, value))
      return `GET got ${name} ${value}, HEAD got ${name} ${said}`;
  }
  return undefined;
};

/** What is wrong with a reply by a rule of HTTP, in words. */
export const judgeHttp = (rule: HttpRule, operation: Operation, reply: Reply): string | undefined => {
  const { allow, noSuccess, noPage = false, like } = rule;
  const { status } = reply;
  const crash = (rule.mayHangUp ? undefined : reply.fault) ?? crashOf(reply);
  if (crash !== undefined) return crash;
  const disallowed = allow && judgeAllow(operation.method, allow, reply);
  if (disallowed !== undefined) return disallowed;
  const isServed = noPage ? status >= 200 && status < 300 : isSuccess(reply);
  if (noSuccess !== undefined && isServed) return `expected ${noSuccess}, got ${status}`;
  return like && judgeLikeness(like, reply);
};
