import { oncePerObject } from '@trellis/openapi/json';
import type { Side } from '../../document/contract.ts';
import { type Operation, replyFor } from '../../document/operations.ts';
import { type Draft, toWire } from '../../requests/draft.ts';
import type { Probe } from '../../requests/probe.ts';
import { isObject } from '../../values/json.ts';
import { conceal } from '../credentials.ts';

/** What a service should at least accept in a request line (RFC 9110, section 4.1), and in a head. */
const LONG_HEAD = 8000;
const LARGE_BODY = 64 * 1024;
/** Refusals that are never about an invalid parameter or body. The credentials of such a request are valid. */
const ABOUT_OTHER_THINGS = [401, 405, 406, 407, 408, 411, 417, 426];

/** Whether a status says that there is too much of a request, and it may: 413 for a body, 414 and 431 for a head. */
export const isTooMuch = (draft: Draft, status: number): boolean => {
  if (status === 413) return (draft.body?.bytes.length ?? 0) > LARGE_BODY;
  if (status !== 414 && status !== 431) return false;
  const { target, headers } = toWire(draft, conceal);
  return (
    headers.reduce((total, [name, value]) => total + name.length + value.length, target.length) > LONG_HEAD
  );
};

/** Whether a 415 is about a body that a request may leave out: it has no Content-Type to be supported. */
export const isAboutNoBody = ({ operation, body }: Draft, status: number): boolean =>
  status === 415 && !body && operation.body !== undefined && replyFor(operation, 415) !== undefined;

/** The names of parameters whose values only the service can make. */
const CURSOR = /cursor$|^(?:page|next|continuation)_?token$/i;

/** Whether a declared 400 may be about a cursor: no schema says which ones the service has made. */
export const isAboutCursor = ({ operation, parameters }: Draft, status: number): boolean =>
  status === 400 &&
  replyFor(operation, 400) !== undefined &&
  [...parameters.keys()].some(({ in: place, name }) => place === 'query' && CURSOR.test(name));

/** Whether an undeclared 409 may be about a name that is taken: the tester cannot know what the service has. */
export const mayBeTaken = ({ operation, body }: Draft, status: number): boolean =>
  status === 409 && body !== undefined && replyFor(operation, 409) === undefined;

/** The names of operations and paths that exchange credentials for something, and of what such a request holds. */
const LOGIN =
  /(?:[Ll]og|[Ss]ign)[-_]?(?:[Ii]n|[Oo]n)(?![a-z])|authenticat|oauth|\b(?:auth|sessions?|tokens?)\/?$/;
const SECRET = /passw|passphrase|secret|credential|assertion|(?:^|_)(?:otp|pin)$/i;

/** Makes a function that says whether an operation checks secrets which requests bring as data, such as a password. */
export const createLogsIn = ({ flatten }: Side) =>
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

const hasPathParameters = ({ draft }: Probe): boolean =>
  draft.operation.parameters.some(({ in: place }) => place === 'path');

/** Whether a router that knows no such path has refused a wrong path parameter (RFC 9110, section 15.5.5). */
export const isUnknownPath = ({ named, draft }: Probe, status: number): boolean =>
  status === 404 && named.startsWith('path.') && !replyFor(draft.operation, 404);

/**
 * Whether a service may refuse a probe with a status that was not the expected one. It may look at things in any order,
 * and so answer with anything that it declares: that there is no such thing, or that it is in the way, before it says
 * that the request is invalid. It may say 403 to whoever has no valid credentials, and 404 so as to tell nothing
 * (RFC 9110, section 15.5.4).
 */
export const mayRefuseWith = (
  probe: Probe,
  refusal: NonNullable<Probe['refusal']>,
  status: number,
): boolean => {
  const isDeclared = (each: number): boolean => replyFor(probe.draft.operation, each) !== undefined;
  if (status === refusal) return true;
  if (refusal === 401) {
    if (status === 403) return isDeclared(403) || !isDeclared(401);
    return status === 404 && isDeclared(404) && hasPathParameters(probe);
  }
  if (status < 400 || status >= 500 || ABOUT_OTHER_THINGS.includes(status)) return false;
  const isAboutBody = refusal === 415 || probe.named.startsWith('body');
  if ((status === 400 || status === 415) && isAboutBody) return isDeclared(status) || !isDeclared(refusal);
  // Frameworks refuse with 422 what others refuse with 400.
  if (status === 422) return isDeclared(422) || !(isDeclared(400) || isDeclared(refusal));
  return isDeclared(status);
};
