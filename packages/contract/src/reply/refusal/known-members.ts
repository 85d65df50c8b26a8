/**
 * Common names for members of error bodies, and how to fill them from a refusal. docs/reference/errors.md lists them.
 */
import { pointerSteps } from '@trellis/openapi/internal/json';
import type { Refusal } from '../../problems/problem.ts';

/** Returns the candidate values of a member; the type of the member selects the value that is sent. */
export type Saying = (refusal: Refusal) => readonly unknown[];

const message: Saying = (refusal) => [refusal.message];
const code: Saying = (refusal) => [refusal.code, refusal.status, refusal.codeName];
const status: Saying = (refusal) => [refusal.status, `${refusal.status}`];
const place: Saying = ({ violations: [first] }) => [first?.place ?? ''];
const success: Saying = () => [false];

const SAYINGS: ReadonlyMap<string, Saying> = new Map([
  ...['msg', 'detail', 'description', 'reason', 'errordescription'].map((name) => [name, message] as const),
  ...['code', 'errorcode'].map((name) => [name, code] as const),
  ...['status', 'statuscode'].map((name) => [name, status] as const),
  ...['field', 'param', 'parameter', 'location'].map((name) => [name, place] as const),
  ...['ok', 'success'].map((name) => [name, success] as const),
  ['error', (refusal) => [...code(refusal), true]],
  ['title', ({ title }) => [title]],
  ['type', ({ codeName }) => [codeName]],
  ['pointer', ({ violations: [first] }) => [first?.pointer ?? '']],
  ['timestamp', () => [new Date().toISOString()]],
]);

/** Objects and lists that hold the refusal, or its violations, inside the body. */
const HOLDERS = new Set([
  'error',
  'errors',
  'detail',
  'details',
  'problem',
  'problems',
  'violations',
  'issues',
]);

/** Normalizes a name without case, spaces, hyphens and underscores: `error_description` equals `errorDescription`. */
const plain = (name: string): string => name.replaceAll(/[ _-]/g, '').toLowerCase();

/** Whether a member of this name is a list of steps to the input that is wrong, as FastAPI has it: `["body", "name"]`. */
export const isLocation = (name: string): boolean => plain(name) === 'loc';

/** The steps to the first violation of a refusal. */
export const locationOf = ({ violations: [first] }: Refusal): string[] =>
  first?.pointer === undefined
    ? (first?.place ?? 'body').split('.')
    : ['body', ...pointerSteps(first.pointer)];

/** Whether a member of this name holds a refusal inside. */
export const isHolder = (name: string): boolean => HOLDERS.has(plain(name));

/** Finds the values for a normalized name; a name that ends in `message`, such as `userMessage`, is a message. */
const sayingNamed = (known: string): Saying | undefined =>
  known.endsWith('message') ? message : SAYINGS.get(known);

/**
 * How to fill a member, given its name and its siblings' names; `undefined` for an unknown name. An `error` alone is
 * the message; beside a message it is the code. A `type` beside a `title` follows RFC 9457.
 */
export const sayingOf = (name: string, siblings: readonly string[]): Saying | undefined => {
  const known = plain(name);
  const others = siblings.map(plain);
  const hasMessage = others.some((other) => sayingNamed(other) === message);
  if (known === 'error' && !hasMessage) return (refusal) => [refusal.message, refusal.code, true];
  if (known === 'type' && others.includes('title')) return () => ['about:blank'];
  return sayingNamed(known);
};

/** Names that OAuth 2.0, Stripe and others give to any failure, to client errors and to server errors. */
const FAILURES = ['error', 'fail', 'failure', 'failed'];
const CLIENT_ERRORS = ['invalidrequest', 'invalidrequesterror'];
const SERVER_ERRORS = ['servererror', 'apierror'];

/** Finds the constant that is true of a refusal: a known value, or the name of its code or status (`bad_request`). */
export const trueConstant = (constants: readonly unknown[], refusal: Refusal, said: readonly unknown[]) => {
  const { codeName, status, title } = refusal;
  const names = [codeName, title, ...FAILURES, ...(status < 500 ? CLIENT_ERRORS : SERVER_ERRORS)].map(plain);
  return constants.find((value) => said.includes(value) || names.includes(plain(String(value))));
};
