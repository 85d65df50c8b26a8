import { isSecured } from '../document/operations.ts';
import { type Call, type HttpRule, type Probe, pathOf, type Reply } from '../requests/call.ts';
import { attempt, elsewhere, withMore } from './attempt.ts';
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

const NOWHERE = 'no-such-path-41';
const LAST_TEMPLATE = /\{[^{}]*\}(?!.*\{)/;

const filled = ({ operation, parameters }: Call): string => pathOf(operation.path, parameters);

const isTemplate = (segment: string): boolean => segment.includes('{');

/** Undeclared paths below and beside a path. Empty if it ends with a parameter, which may match them. */
const unknownPaths = (call: Call, isKnown: (path: string) => boolean): string[] => {
  const path = filled(call).replace(/\/$/, '');
  const last = call.operation.path.split('/').at(-1) ?? '';
  if (isTemplate(last)) return [];
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  return [`${path}/${NOWHERE}`, `${parent}${NOWHERE}`].filter((each) => !isKnown(each));
};

/** Other spellings of a path, which a router may treat as equal. */
const spellings = (path: string): string[] => {
  const slash = path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
  return [slash, `/${path}`].filter((each) => each !== '');
};

/** Malformed paths: bad percent-encoding (RFC 3986, section 2.1), bytes that are not UTF-8, and U+0000. */
const malformed = ({ operation, parameters }: Call): string[] =>
  ['%zz', '%ff', '%00'].map((text) => {
    const broken = LAST_TEMPLATE.test(operation.path)
      ? operation.path.replace(LAST_TEMPLATE, text)
      : `${operation.path.replace(/\/$/, '')}/${text}`;
    return pathOf(broken, parameters);
  });

/** Tries undeclared paths: 404, or at least no success and no failure. */
export const pathAttempts = (call: Call, isKnown: (path: string) => boolean): Probe[] => {
  const unknown = unknownPaths(call, isKnown).map((path) => {
    const nowhere = elsewhere(call, { method: 'GET', path, parameters: new Map(), body: undefined });
    return attempt(
      `${path}, a path that is not declared`,
      withMore(nowhere, 'header', 'Accept', 'application/json'),
      // Not even an HTML page: this client accepts only JSON.
      ({ status }) => (status >= 200 && status < 300 ? `expected 404, got ${status}` : undefined),
    );
  });
  const spelled = spellings(filled(call)).flatMap((path) => {
    const stranger = elsewhere(call, { path, credentials: [] });
    return [
      attempt(`the path as ${path}`, elsewhere(call, { path })),
      ...(isSecured(call.operation)
        ? [attempt(`the path as ${path} without credentials`, stranger, noSuccess('401 or 404'))]
        : []),
    ];
  });
  const broken = malformed(call).map((path) => attempt(`the path as ${path}`, elsewhere(call, { path })));
  return [...unknown, ...spelled, ...broken];
};
