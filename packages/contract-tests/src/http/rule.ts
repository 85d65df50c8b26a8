import type { Operation } from '../document/operations.ts';
import { isStub, type Reply, single } from '../requests/call.ts';
import type { HttpRule, Likeness } from '../requests/probe.ts';

/** Statuses of a request that the service did not understand. Other statuses depend on its data. */
const MISUNDERSTOOD = [400, 401, 406, 411, 415, 422, 501];
/** Statuses for a HEAD that a service does not support. */
const NOT_SERVED = [404, 405, 501];
/** Headers that a reply to HEAD may omit, but not change (RFC 9110, sections 8.6 and 9.3.2). */
const ALIKE = ['content-type', 'content-length', 'etag', 'last-modified', 'location'];

/** Whether a reply is a 2xx and no HTML page. Frameworks serve pages at undeclared paths. */
export const isSuccess = ({ status, headers }: Reply): boolean =>
  status >= 200 && status < 300 && !/^text\/html\b/i.test(single(headers['content-type']) ?? '');

/** Reports a failed service. 501 means an unknown method (RFC 9110, section 15.6.2). */
const crashOf = (reply: Reply): string | undefined =>
  reply.status >= 500 && reply.status !== 501 && !isStub(reply)
    ? `status ${reply.status}: the service failed`
    : undefined;

/** Whether a request got no answer, or the service did not understand it. */
export const isMisunderstood = (reply: Reply | undefined): boolean =>
  !reply || MISUNDERSTOOD.includes(reply.status) || crashOf(reply) !== undefined;

/** Judges a 405, which must list the methods in Allow (RFC 9110, section 15.5.6). */
const judgeAllow = (method: string, declared: readonly string[], reply: Reply): string | undefined => {
  if (reply.status !== 405 || isStub(reply)) return undefined;
  const allow = single(reply.headers.allow);
  if (allow === undefined) return '405 without the header Allow';
  const allowed = allow.split(',').map((method) => method.trim().toUpperCase());
  const missing = declared.filter((method) => !allowed.includes(method));
  if (missing.length > 0) return `the header Allow leaves out ${missing.join(', ')}`;
  // Many services add OPTIONS.
  return method !== 'OPTIONS' && allowed.includes(method)
    ? `405 for ${method}, which the header Allow names`
    : undefined;
};

/** The headers of a GET that its HEAD is compared with. */
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

/** The common status and headers of replies to one GET; `undefined` if HEAD cannot be compared with them. */
export const likenessOf = (replies: readonly Reply[]): Likeness | undefined => {
  const [first, ...others] = replies;
  // Ranges apply to GET only (RFC 9110, section 14.2), and 429 is temporary.
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

/** Judges a reply by a rule of HTTP; returns a message, or undefined. */
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
