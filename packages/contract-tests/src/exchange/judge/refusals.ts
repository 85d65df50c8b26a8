import { oncePerObject } from '@trellis/openapi/internal/json';
import type { Schemas } from '../../document/contract.ts';
import { type Operation, replyFor } from '../../document/operations.ts';
import { type Call, type Probe, toWire } from '../../requests/call.ts';
import { isObject } from '../../values/json.ts';
import { shellSecretOf } from '../credentials.ts';

/** The shortest request line (RFC 9110, section 4.1) or head, and the smallest body, that a service may reject as too large. */
const LONG_HEAD = 8000;
const LARGE_BODY = 64 * 1024;
/** Statuses that never mean an invalid parameter or body. The credentials of such a request are valid. */
const ABOUT_OTHER_THINGS = [401, 405, 406, 407, 408, 411, 417, 426];

/** Whether a request is large enough for its 413, 414 or 431. */
export const isTooMuch = (call: Call, status: number): boolean => {
  if (status === 413) return (call.body?.bytes.length ?? 0) > LARGE_BODY;
  if (status !== 414 && status !== 431) return false;
  const { target, headers } = toWire(call, shellSecretOf);
  return (
    headers.reduce((total, [name, value]) => total + name.length + value.length, target.length) > LONG_HEAD
  );
};

/** Whether a declared 415 answers a request without its optional body: it has no Content-Type to support. */
export const isAboutNoBody = ({ operation, body }: Call, status: number): boolean =>
  status === 415 && !body && operation.body !== undefined && replyFor(operation, 415) !== undefined;

/** Names of parameters whose values the service creates. */
const CURSOR = /cursor$|^(?:page|next|continuation)_?token$/i;

/** Whether a declared 400 may be about a cursor: a schema cannot list the cursors that a service has issued. */
export const isAboutCursor = ({ operation, parameters }: Call, status: number): boolean =>
  status === 400 &&
  replyFor(operation, 400) !== undefined &&
  [...parameters.keys()].some(({ in: place, name }) => place === 'query' && CURSOR.test(name));

/** Whether an undeclared 409 may be about a name that is taken: the tester cannot know the stored data. */
export const mayBeTaken = ({ operation, body }: Call, status: number): boolean =>
  status === 409 && body !== undefined && replyFor(operation, 409) === undefined;

/** Names of operations and paths that log in, and of members that are secret. */
const LOGIN =
  /(?:[Ll]og|[Ss]ign)[-_]?(?:[Ii]n|[Oo]n)(?![a-z])|authenticat|oauth|\b(?:auth|sessions?|tokens?)\/?$/;
const SECRET = /passw|passphrase|secret|credential|assertion|(?:^|_)(?:otp|pin)$/i;

/** Creates a predicate for operations that check secrets in their data, such as a password. */
export const createLogsIn = ({ flatten }: Schemas) =>
  oncePerObject(
    ({ id, path, parameters, body }: Operation): boolean =>
      LOGIN.test(id) ||
      LOGIN.test(path) ||
      parameters.some(({ name }) => SECRET.test(name)) ||
      (body?.contents ?? [])
        .flatMap(({ schema }) => flatten(schema))
        .flatMap(({ properties }) => Object.entries(properties ?? {}))
        .some(([name, schema]) => SECRET.test(name) || (isObject(schema) && schema.format === 'password')),
  );

const hasPathParameters = ({ call }: Probe): boolean =>
  call.operation.parameters.some(({ in: place }) => place === 'path');

/** Whether a router without that path has rejected a wrong path parameter (RFC 9110, section 15.5.5). */
export const isUnknownPath = ({ named, call }: Probe, status: number): boolean =>
  status === 404 && named.startsWith('path.') && !replyFor(call.operation, 404);

/**
 * Whether a service may reject a probe with another status than the expected one. It may check a request in any order, so
 * any declared 4xx is fine, such as a 404 or 409 before validation. Without valid credentials it may answer 403, or 404 to
 * hide that a thing exists
 * (RFC 9110, section 15.5.4).
 */
export const mayRefuseWith = (
  probe: Probe,
  refusal: NonNullable<Probe['refusal']>,
  status: number,
): boolean => {
  const isDeclared = (each: number): boolean => replyFor(probe.call.operation, each) !== undefined;
  if (status === refusal) return true;
  if (refusal === 401) {
    if (status === 403) return isDeclared(403) || !isDeclared(401);
    return status === 404 && isDeclared(404) && hasPathParameters(probe);
  }
  if (status < 400 || status >= 500 || ABOUT_OTHER_THINGS.includes(status)) return false;
  const isAboutBody = refusal === 415 || probe.named.startsWith('body');
  if ((status === 400 || status === 415) && isAboutBody) return isDeclared(status) || !isDeclared(refusal);
  // Some frameworks validate with 422, others with 400.
  if (status === 422) return isDeclared(422) || !(isDeclared(400) || isDeclared(refusal));
  return isDeclared(status);
};
