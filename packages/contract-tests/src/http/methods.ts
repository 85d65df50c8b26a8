import { isSecured } from '../document/operations.ts';
import type { Call, Reply } from '../requests/call.ts';
import type { HttpRule, Probe } from '../requests/probe.ts';
import { attempt, elsewhere } from './attempt.ts';
import { judgeAllow, likenessOf, noSuccess } from './rule.ts';

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH'];
const WITH_BODY = ['PUT', 'POST', 'PATCH'];

/**
 * Tries undeclared methods of a path. A service may answer 404 or 405, or report an unknown method or caller. It must
 * neither perform the request nor fail.
 */
export const methodAttempts = (
  calls: readonly Call[],
  declared: readonly string[],
  elsewhereDeclared: ReadonlySet<string>,
): Probe[] => {
  const [main] = calls;
  if (!main) return [];
  const body = calls.map((call) => call.body).find((each) => each !== undefined);
  const bodyOf = (method: string): Call['body'] => (WITH_BODY.includes(method) ? body : undefined);
  const allow =
    (method: string): HttpRule =>
    (reply) =>
      judgeAllow(method, declared, reply);
  const undeclared = METHODS.filter(
    (method) => !declared.includes(method) && !elsewhereDeclared.has(method),
  ).map((method) =>
    attempt(
      `${method}, which is not declared`,
      elsewhere(main, { method, body: bodyOf(method) }),
      (reply) => allow(method)(reply) ?? noSuccess('405 or 404')(reply),
    ),
  );
  const options = elsewhere(main, { method: 'OPTIONS', body: undefined });
  // TRACE would echo credentials, so services do not support it (RFC 9110, section 9.3.8).
  const trace = elsewhere(main, { method: 'TRACE', body: undefined, credentials: [] });
  const others = [
    attempt('TRACE, which is not declared', trace, noSuccess('405 or 404')),
    attempt('OPTIONS', options, allow('OPTIONS')),
    ...calls.flatMap((call) => headAttempts(call, allow('HEAD'))),
  ];
  return [...undeclared, ...others.filter(({ call }) => !declared.includes(call.operation.method))];
};

/** Tries the HEAD of a GET, which every service supports, without a body (RFC 9110, sections 9.1 and 9.3.2). */
const headAttempts = (get: Call, rule: HttpRule): Probe[] => {
  if (get.operation.method !== 'GET') return [];
  const head = attempt('HEAD', elsewhere(get, { method: 'HEAD' }), rule);
  const stranger = elsewhere(get, { method: 'HEAD', credentials: [] });
  const anonymous = attempt('HEAD without credentials', stranger, noSuccess('401'));
  return isSecured(get.operation) ? [head, anonymous] : [head];
};

/** Compares HEAD with the known replies to its GET: equal headers, as far as HEAD sends them (RFC 9110, section 9.3.2). */
export const headBesideGet = (call: Call, replies: readonly Reply[]): Probe[] => {
  const like = likenessOf(replies);
  if (!like) return [];
  const before = [...(call.before ?? []), { call, reply: replies[0] }];
  return [attempt('HEAD beside GET', elsewhere(call, { method: 'HEAD', before }), like)];
};
