/** Guesses which part of a refusal each member of an error body takes, by the member's name. */
import { compileFunction } from 'node:vm';
import type { ErrorBodyOf } from '@trellis/contract/internal';
import { isTree } from '@trellis/openapi/internal/json';
import { codeOf, literalOf, quote } from '../../literal.ts';

/** A statement of src/error-body.ts, for bodies that list faults. */
export const FAULTS =
  "const faults = refusal.violations.length > 0 ? refusal.violations : [{ place: '', message: refusal.message, pointer: '' }];";

/** Compiles the expression of a body, as it is written to the file. */
export const compileBody = (expression: string): ErrorBodyOf => {
  const body = compileFunction(`${FAULTS} return (${expression});`, ['refusal']);
  return (refusal) => body(refusal);
};

/** Lengths that a message is cut to, where its schema has a `maxLength`. */
const LENGTHS = [1000, 250, 100, 50];

const MESSAGES = ['msg', 'detail', 'description', 'reason', 'errordescription'];

/** Objects and lists that hold the refusal, or its violations. */
const HOLDERS = ['error', 'errors', 'detail', 'details', 'problem', 'problems', 'violations', 'issues'];

const SNAKE = "refusal.title.toLowerCase().replaceAll(' ', '_')";

/** Names of a failure: by its code, by its status, or by words that are true of any. */
const NAMES = [
  ...['refusal.codeName', SNAKE, "refusal.title.toUpperCase().replaceAll(' ', '_')", 'refusal.title'],
  ...['error', 'Error', 'ERROR', 'fail', 'failed', 'failure'].map(quote),
  "refusal.status < 500 ? 'invalid_request_error' : 'api_error'",
  "refusal.status < 500 ? 'invalid_request' : 'server_error'",
];

const STATUS = ['refusal.status', 'String(refusal.status)'];

/** A name without case, spaces, hyphens and underscores. */
const plain = (name: string): string => name.replaceAll(/[ _-]/g, '').toLowerCase();

const isMessage = (name: string): boolean => name.endsWith('message') || MESSAGES.includes(name);

/** The expressions that a member of this name may have, the best first; none for an unknown name. */
const expressionsFor = (
  name: string,
  siblings: readonly string[],
  made: unknown,
  inList: boolean,
): readonly string[] => {
  const message = inList ? "[fault.place, fault.message].join(' ').trim()" : 'refusal.message';
  const messages = [message, ...LENGTHS.map((length) => `${message}.slice(0, ${length})`)];
  const fault = inList ? 'fault.' : 'faults[0]?.';
  const isStatus = Number(made) >= 400 && Number(made) < 600;
  const codes = [...(isStatus ? STATUS : []), 'refusal.code', ...NAMES, ...STATUS];
  if (isMessage(name)) return messages;
  if (name === 'error')
    return siblings.some(isMessage) ? [...codes, 'true'] : [...messages, ...codes, 'true'];
  if (name === 'code' || name === 'errorcode') return codes;
  if (name === 'status' || name === 'statuscode') return [...STATUS, ...NAMES];
  if (name === 'type') return siblings.includes('title') ? ["'about:blank'"] : NAMES;
  if (name === 'title') return ['refusal.title'];
  if (['field', 'param', 'parameter', 'location'].includes(name)) return [`${fault}place ?? ''`];
  if (name === 'pointer') return [`${fault}pointer ?? ''`];
  if (name === 'timestamp') return ['new Date().toISOString()'];
  return name === 'ok' || name === 'success' ? ['false'] : [];
};

/** The result for a part: an expression for it, no known name, or only values that would be untrue. */
type Found = { readonly value: unknown } | 'unknown' | 'untrue';

/** Tries a whole body with another value for a part; `undefined` leaves the part out. */
type Fits = (part: unknown) => boolean;

const guessObject = (made: object, fits: Fits, inList: boolean): Found => {
  let value: Record<string, unknown> = { ...made };
  let isKnown = false;
  const siblings = Object.keys(made).map(plain);
  for (const [name, member] of Object.entries(made)) {
    const fitsMember: Fits = (part) => fits({ ...value, [name]: part });
    const canMiss = fitsMember(undefined);
    const isSkipped = isTree(member) && canMiss && !HOLDERS.includes(plain(name));
    const found = isSkipped ? 'unknown' : guessPart(plain(name), siblings, member, fitsMember, inList);
    if (found === 'untrue' && !canMiss) return found;
    if (typeof found === 'object') value = { ...value, [name]: found.value };
    else if (canMiss) value = { ...value, [name]: undefined };
    isKnown ||= typeof found === 'object';
  }
  return isKnown ? { value } : 'unknown';
};

const guessList = ([first]: readonly unknown[], fits: Fits): Found => {
  const write = (item: unknown): unknown => {
    const text = literalOf(item);
    return codeOf(`faults.map((fault) => ${text.startsWith('{') ? `(${text})` : text})`);
  };
  const found = guessPart('message', [], first, (item) => fits(write(item)), true);
  return typeof found === 'object' ? { value: write(found.value) } : 'unknown';
};

const guessPart = (
  name: string,
  siblings: readonly string[],
  made: unknown,
  fits: Fits,
  inList: boolean,
): Found => {
  const steps = codeOf(inList ? "fault.place.split('.')" : "faults[0]?.place.split('.') ?? []");
  if (name === 'loc' && fits(steps)) return { value: steps };
  if (Array.isArray(made)) return guessList(made, fits);
  if (isTree(made)) return guessObject(made, fits, inList);
  const expressions = expressionsFor(name, siblings, made, inList);
  const fitting = expressions.find((each) => fits(codeOf(each)));
  if (fitting !== undefined) return { value: codeOf(fitting) };
  return expressions.length > 0 ? 'untrue' : 'unknown';
};

/**
 * Guesses the expression of an error body from an example of it, such as `{ code: refusal.code, message: refusal.message }`.
 * `fits` checks that the bodies of a function fit their schema. `undefined` if no member has a known name, or if one that
 * must be there would be untrue.
 */
export const guessExpression = (made: unknown, fits: (body: ErrorBodyOf) => boolean): string | undefined => {
  const found = guessPart('message', [], made, (whole) => fits(compileBody(literalOf(whole))), false);
  return typeof found === 'object' ? literalOf(found.value, '      ') : undefined;
};
