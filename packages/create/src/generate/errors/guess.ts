/** Guesses which part of a refusal each member of an error body takes, by the member's name. */
import type { ErrorBodyOf } from '@trellis/contract/internal';
import { isTree } from '@trellis/openapi/internal/json';
import { type Code, codeOf, literalOf, quote } from '../../literal.ts';

type Refusal = Parameters<ErrorBodyOf>[0];
type Fault = Refusal['violations'][number];

/** The variables that an expression may use: `fault` is an item of `faults`, in lists. */
interface Variables {
  readonly refusal: Refusal;
  readonly faults: readonly Fault[];
  readonly fault: Fault | undefined;
}

/** An expression of src/error-body.ts: its text, and its value. The text is never executed here. */
interface Expression extends Code {
  readonly evaluate: (variables: Variables) => unknown;
}

const expression = (text: string, evaluate: Expression['evaluate']): Expression => ({
  ...codeOf(text),
  evaluate,
});

const isExpression = (part: object): part is Expression =>
  'evaluate' in part && typeof part.evaluate === 'function'; // values of a contract have no functions

/** A statement of src/error-body.ts, for bodies that list faults. */
export const FAULTS =
  "const faults = refusal.violations.length > 0 ? refusal.violations : [{ place: '', message: refusal.message, pointer: '' }];";

const faultsOf = ({ violations, message }: Refusal): readonly Fault[] =>
  violations.length > 0 ? violations : [{ place: '', message, pointer: '' }];

/** The value of a body that holds expressions. */
const evaluate = (part: unknown, variables: Variables): unknown => {
  if (!isTree(part)) return part;
  if (isExpression(part)) return part.evaluate(variables);
  if (Array.isArray(part)) return part.map((item) => evaluate(item, variables));
  const members = Object.entries(part).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, evaluate(member, variables)]));
};

/** The function that src/error-body.ts has for a body. */
export const errorBodyOf =
  (body: unknown): ErrorBodyOf =>
  (refusal) => {
    const faults = faultsOf(refusal);
    return evaluate(body, { refusal, faults, fault: faults[0] });
  };

/** Lengths that a message is cut to, where its schema has a `maxLength`. */
const LENGTHS = [1000, 250, 100, 50];

const MESSAGES = ['msg', 'detail', 'description', 'reason', 'errordescription'];

/** Objects and lists that hold the refusal, or its violations. */
const HOLDERS = ['error', 'errors', 'detail', 'details', 'problem', 'problems', 'violations', 'issues'];

const TITLE = expression('refusal.title', ({ refusal }) => refusal.title);
const CODE = expression('refusal.code', ({ refusal }) => refusal.code);
const YES = expression('true', () => true);

/** A text that is true of client errors, and another one of the service's errors. */
const byStatus = (client: string, service: string): Expression =>
  expression(`refusal.status < 500 ? ${quote(client)} : ${quote(service)}`, ({ refusal }) =>
    refusal.status < 500 ? client : service,
  );

/** Names of a failure: by its code, by its status, or by words that are true of any. */
const NAMES: readonly Expression[] = [
  expression('refusal.codeName', ({ refusal }) => refusal.codeName),
  expression("refusal.title.toLowerCase().replaceAll(' ', '_')", ({ refusal }) =>
    refusal.title.toLowerCase().replaceAll(' ', '_'),
  ),
  expression("refusal.title.toUpperCase().replaceAll(' ', '_')", ({ refusal }) =>
    refusal.title.toUpperCase().replaceAll(' ', '_'),
  ),
  TITLE,
  ...['error', 'Error', 'ERROR', 'fail', 'failed', 'failure'].map((name) =>
    expression(quote(name), () => name),
  ),
  byStatus('invalid_request_error', 'api_error'),
  byStatus('invalid_request', 'server_error'),
];

const STATUS: readonly Expression[] = [
  expression('refusal.status', ({ refusal }) => refusal.status),
  expression('String(refusal.status)', ({ refusal }) => String(refusal.status)),
];

/** The message of a refusal, or of a fault in a list; whole, or cut to a length. */
const messagesOf = (inList: boolean): Expression[] => {
  const text = inList ? "[fault.place, fault.message].join(' ').trim()" : 'refusal.message';
  const whole = ({ refusal, fault }: Variables): string =>
    inList ? [fault?.place, fault?.message].join(' ').trim() : refusal.message;
  return [
    expression(text, whole),
    ...LENGTHS.map((length) =>
      expression(`${text}.slice(0, ${length})`, (variables) => whole(variables).slice(0, length)),
    ),
  ];
};

/** A part of a fault in a list, or of the first fault. */
const partOf = (name: 'place' | 'pointer', inList: boolean): Expression =>
  expression(`${inList ? 'fault.' : 'faults[0]?.'}${name} ?? ''`, ({ fault }) => fault?.[name] ?? '');

/** The steps of the place of a fault. */
const stepsOf = (inList: boolean): Expression =>
  expression(
    inList ? "fault.place.split('.')" : "faults[0]?.place.split('.') ?? []",
    ({ fault }) => fault?.place.split('.') ?? [],
  );

/** A name without case, spaces, hyphens and underscores. */
const plain = (name: string): string => name.replaceAll(/[ _-]/g, '').toLowerCase();

const isMessage = (name: string): boolean => name.endsWith('message') || MESSAGES.includes(name);

/** The expressions that a member of this name may have, the best first; none for an unknown name. */
const expressionsFor = (
  name: string,
  siblings: readonly string[],
  made: unknown,
  inList: boolean,
): readonly Expression[] => {
  const messages = messagesOf(inList);
  const isStatus = Number(made) >= 400 && Number(made) < 600;
  const codes = [...(isStatus ? STATUS : []), CODE, ...NAMES, ...STATUS];
  if (isMessage(name)) return messages;
  if (name === 'error') return siblings.some(isMessage) ? [...codes, YES] : [...messages, ...codes, YES];
  if (name === 'code' || name === 'errorcode') return codes;
  if (name === 'status' || name === 'statuscode') return [...STATUS, ...NAMES];
  if (name === 'type')
    return siblings.includes('title') ? [expression("'about:blank'", () => 'about:blank')] : NAMES;
  if (name === 'title') return [TITLE];
  if (['field', 'param', 'parameter', 'location'].includes(name)) return [partOf('place', inList)];
  if (name === 'pointer') return [partOf('pointer', inList)];
  if (name === 'timestamp') return [expression('new Date().toISOString()', () => new Date().toISOString())];
  return name === 'ok' || name === 'success' ? [expression('false', () => false)] : [];
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
    return expression(
      `faults.map((fault) => ${text.startsWith('{') ? `(${text})` : text})`,
      ({ refusal, faults }) => faults.map((fault) => evaluate(item, { refusal, faults, fault })),
    );
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
  const steps = stepsOf(inList);
  if (name === 'loc' && fits(steps)) return { value: steps };
  if (Array.isArray(made)) return guessList(made, fits);
  if (isTree(made)) return guessObject(made, fits, inList);
  const expressions = expressionsFor(name, siblings, made, inList);
  const fitting = expressions.find(fits);
  if (fitting !== undefined) return { value: fitting };
  return expressions.length > 0 ? 'untrue' : 'unknown';
};

/**
 * Guesses an error body from an example of it: the example with expressions in it, such as `refusal.message`. `fits`
 * checks the bodies of a function. `undefined` if no member has a known name, or if a required member would be untrue.
 */
export const guessBody = (made: unknown, fits: (body: ErrorBodyOf) => boolean): unknown => {
  const found = guessPart('message', [], made, (whole) => fits(errorBodyOf(whole)), false);
  return typeof found === 'object' ? found.value : undefined;
};
