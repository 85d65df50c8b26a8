/** What members of error bodies are usually called, and what each says of a refusal. */
import type { Refusal } from '../../problems/problem.ts';

/** Gives what a member says of a refusal; `undefined` if it says nothing of this one. */
export type Say<T> = (refusal: Refusal) => T | undefined;

const message: Say<string> = (refusal) => refusal.message;
const title: Say<string> = (refusal) => refusal.title;
const codeName: Say<string> = (refusal) => refusal.codeName;
const place: Say<string> = ({ violations: [first] }) => first?.place;
const pointer: Say<string> = ({ violations: [first] }) => first?.pointer;
const now: Say<string> = () => new Date().toISOString();
const code: Say<number> = (refusal) => refusal.code;
const status: Say<number> = (refusal) => refusal.status;

const entries = <T>(say: Say<T>, names: string): (readonly [string, Say<T>])[] =>
  names.split(' ').map((name) => [name, say]);

const MESSAGES = new Set(
  'message msg detail details description errordescription errormessage reason explanation usermessage developermessage'.split(
    ' ',
  ),
);

const TEXTS: ReadonlyMap<string, Say<string>> = new Map([
  ...[...MESSAGES].map((name) => [name, message] as const),
  ...entries(title, 'title summary statustext'),
  ...entries(codeName, 'code errorcode type error key'),
  ...entries((refusal) => `${refusal.status}`, 'status statuscode httpstatus'),
  ...entries(place, 'param parameter field property location place'),
  ...entries(pointer, 'pointer'),
  ...entries(now, 'timestamp datetime time'),
]);

const NUMBERS: ReadonlyMap<string, Say<number>> = new Map([
  ...entries(code, 'code error errorcode errorno errno'),
  ...entries(status, 'status statuscode httpstatus httpcode httpstatuscode'),
]);

const BOOLEANS: ReadonlyMap<string, Say<boolean>> = new Map([
  ...entries(() => false, 'ok success successful succeeded valid isvalid'),
  ...entries(() => true, 'error iserror haserror failed failure'),
]);

/** Objects and lists that hold the refusal, or its violations, inside the body. */
const HOLDERS = new Set(
  'error errors fault problem problems violations issues details invalidparams err'.split(' '),
);

/** Names are told apart without case, spaces, hyphens and underscores: `error_description`, `errorDescription`. */
const plain = (name: string): string => name.replaceAll(/[ _-]/g, '').toLowerCase();

/** Whether a member of this name holds a refusal inside. */
export const isHolder = (name: string): boolean => HOLDERS.has(plain(name));

/**
 * What a text of this name says, beside its siblings. An `error` alone is the message; beside a message it is the name of
 * the code. A `type` beside a `title` is that of RFC 9457.
 */
export const textOf = (name: string, siblings: readonly string[]): Say<string> | undefined => {
  const others = siblings.map(plain);
  const known = plain(name);
  if (known === 'error' && !others.some((other) => MESSAGES.has(other))) return message;
  if (known === 'type' && others.includes('title')) return () => 'about:blank';
  return TEXTS.get(known);
};

/** What a number of this name says: the code, unless that is above the bound of the schema; then the status. */
export const numberOf = (name: string, maximum: number): Say<number> | undefined => {
  const say = NUMBERS.get(plain(name));
  return (
    say &&
    ((refusal) => [say(refusal), refusal.status].find((value) => value !== undefined && value <= maximum))
  );
};

/** What a boolean of this name says: that the request failed. */
export const booleanOf = (name: string): Say<boolean> | undefined => BOOLEANS.get(plain(name));

/** What any refusal is. */
const FAILURES = ['error', 'fail', 'failure', 'failed'];

/** The constant that is true of a refusal: what is said, its number, its status, or what these are called (`bad_request`). */
export const trueConstant = (constants: ReadonlySet<unknown>, refusal: Refusal, said: unknown): unknown => {
  const names = new Set([refusal.codeName, refusal.title, `${refusal.status}`, ...FAILURES].map(plain));
  const isTrue = (value: unknown): boolean =>
    value === said ||
    value === refusal.code ||
    value === refusal.status ||
    (typeof value === 'string' && names.has(plain(value)));
  return [...constants].find(isTrue);
};
