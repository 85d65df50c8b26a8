/** What members of error bodies are usually called, and what each says of a refusal. docs/reference/errors.md lists them. */
import type { Refusal } from '../../problems/problem.ts';

/** Gives what a member says of a refusal; `undefined` if it says nothing of this one. */
export type Say<T> = (refusal: Refusal) => T | undefined;

/** What a member of some name says, by the type of its schema. */
export interface Saying {
  readonly text?: Say<string>;
  readonly number?: Say<number>;
  readonly boolean?: Say<boolean>;
}

const message: Saying = { text: (refusal) => refusal.message };
const code: Saying = { text: (refusal) => refusal.codeName, number: (refusal) => refusal.code };
const status: Saying = { text: (refusal) => `${refusal.status}`, number: (refusal) => refusal.status };
const place: Saying = { text: ({ violations: [first] }) => first?.place };
const success: Saying = { boolean: () => false };

const SAYINGS: ReadonlyMap<string, Saying> = new Map(
  Object.entries<Saying>({
    msg: message,
    detail: message,
    description: message,
    reason: message,
    errordescription: message,
    title: { text: (refusal) => refusal.title },
    code,
    errorcode: code,
    error: { ...code, boolean: () => true },
    type: { text: (refusal) => refusal.codeName },
    status,
    statuscode: status,
    field: place,
    param: place,
    parameter: place,
    location: place,
    pointer: { text: ({ violations: [first] }) => first?.pointer },
    timestamp: { text: () => new Date().toISOString() },
    ok: success,
    success,
  }),
);

/** What a plain name says; whatever ends in `message`, such as `userMessage`, is one. */
const sayingNamed = (known: string): Saying | undefined =>
  known.endsWith('message') ? message : SAYINGS.get(known);

/** Objects and lists that hold the refusal, or its violations, inside the body. */
const HOLDERS = new Set(['error', 'errors', 'details', 'problem', 'problems', 'violations', 'issues']);

/** Names are told apart without case, spaces, hyphens and underscores: `error_description`, `errorDescription`. */
const plain = (name: string): string => name.replaceAll(/[ _-]/g, '').toLowerCase();

/** Whether a member of this name holds a refusal inside. */
export const isHolder = (name: string): boolean => HOLDERS.has(plain(name));

/**
 * What a member of this name says, beside its siblings. An `error` alone is the message; beside a message it is the name
 * of the code. A `type` beside a `title` is that of RFC 9457.
 */
export const sayingOf = (name: string, siblings: readonly string[]): Saying => {
  const known = plain(name);
  const others = siblings.map(plain);
  const saying = sayingNamed(known) ?? {};
  if (known === 'error' && !others.some((other) => sayingNamed(other) === message))
    return { ...saying, ...message };
  if (known === 'type' && others.includes('title')) return { text: () => 'about:blank' };
  return saying;
};

/** What any refusal is. */
const FAILURES = ['error', 'fail', 'failure', 'failed'];

/** The constant that is true of a refusal: what is said, its number, its status, or what these are called (`bad_request`). */
export const trueConstant = (constants: readonly unknown[], refusal: Refusal, said: unknown): unknown => {
  const names = [refusal.codeName, refusal.title, `${refusal.status}`, ...FAILURES].map(plain);
  return constants.find(
    (value) => [said, refusal.code, refusal.status].includes(value) || names.includes(plain(String(value))),
  );
};
