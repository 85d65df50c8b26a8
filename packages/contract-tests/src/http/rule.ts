import { type HttpRule, isStub, type Reply, single } from '../requests/call.ts';
import { identityOf, isObject, type Json, readJson } from '../values/json.ts';

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

/** Judges a 405, which must list the methods of its path in Allow (RFC 9110, section 15.5.6). */
export const judgeAllow = (method: string, declared: readonly string[], reply: Reply): string | undefined => {
  if (reply.status !== 405 || isStub(reply)) return undefined;
  const allow = single(reply.headers.allow);
  if (allow === undefined) return '405 without the header Allow';
  const allowed = allow.split(',').map((each) => each.trim().toUpperCase());
  const missing = declared.filter((each) => !allowed.includes(each));
  if (missing.length > 0) return `the header Allow leaves out ${missing.join(', ')}`;
  // Many services add OPTIONS.
  return method !== 'OPTIONS' && allowed.includes(method)
    ? `405 for ${method}, which the header Allow names`
    : undefined;
};

/** Creates a rule by which a success is wrong. `expected` names the right statuses: `405 or 404`. */
export const noSuccess =
  (expected: string): HttpRule =>
  (reply) =>
    isSuccess(reply) ? `expected ${expected}, got ${reply.status}` : undefined;

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

/** Creates the rule for the HEAD of a GET with these replies; `undefined` if they cannot be compared. */
export const likenessOf = ([first, ...others]: readonly Reply[]): HttpRule | undefined => {
  // Ranges apply to GET only (RFC 9110, section 14.2), and 429 is temporary.
  if (!first || [206, 429].includes(first.status) || first.status >= 500 || isStub(first)) return undefined;
  if (others.some(({ status }) => status !== first.status)) return undefined;
  const stable = [...fieldsOf(first)].filter(([name, value]) =>
    others.every((other) => fieldsOf(other).get(name) === value),
  );
  return (reply) => {
    if (isStub(reply) || reply.status === 429 || NOT_SERVED.includes(reply.status)) return undefined;
    if (reply.status !== first.status) return `GET got ${first.status}, HEAD got ${reply.status}`;
    const plain = (name: string, value: string): string =>
      name === 'content-type' ? value.replaceAll(/\s/g, '').toLowerCase() : value;
    for (const [name, value] of stable) {
      const said = single(reply.headers[name]);
      if (said !== undefined && plain(name, said) !== plain(name, value))
        return `GET got ${name} ${value}, HEAD got ${name} ${said}`;
    }
    return undefined;
  };
};

/** Judges a reply by the rule of its request, and by the rule that the service must not fail. */
export const judgeHttp = (rule: HttpRule, reply: Reply): string | undefined =>
  reply.fault ?? crashOf(reply) ?? rule(reply);

const bodyOf = ({ body }: Reply): Json => readJson(body) ?? body.toString('base64');

/** Whether a value differs from others in a part that they have in common. Ids and times differ in each. */
const differs = (value: Json | undefined, [first = null, ...others]: readonly Json[]): boolean => {
  if (others.every((each) => identityOf(each) === identityOf(first)))
    return value === undefined || identityOf(value) !== identityOf(first);
  if (!isObject(value) || !isObject(first)) return false;
  return Object.keys(first).some((name) => {
    const members = [first, ...others].map((each) => (isObject(each) ? each[name] : undefined));
    const known = members.filter((each) => each !== undefined);
    return known.length === members.length && differs(value[name], known);
  });
};

/** Describes how a reply differs from the replies to the same request sent in the usual way. */
export const differenceOf = (reply: Reply | undefined, usual: readonly Reply[]): string | undefined => {
  const last = usual.at(-1);
  if (!last || [...usual, reply].some((each) => each && (isStub(each) || each.status === 429)))
    return undefined;
  // The first request may have created the thing that the later ones found.
  if (usual.slice(1).some(({ status }) => status !== last.status)) return undefined;
  if (isMisunderstood(reply)) return `a valid request was refused with ${reply?.status ?? 'no answer'}`;
  if (reply?.status !== last.status) return `got ${reply?.status}, and ${last.status} when it was sent whole`;
  return differs(bodyOf(reply), usual.map(bodyOf)) ? 'another reply than when it was sent whole' : undefined;
};
