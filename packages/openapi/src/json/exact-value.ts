import { type Decimal, parseDecimal } from './decimal.ts';
import { isBigint } from './int64.ts';
import { holds, isTree, ownMember } from './pointer.ts';

/** The same text for equal numbers, however they were written: `1.50` and `15e-1`. */
const writeDecimal = ({ digits, scale }: Decimal): string => {
  if (digits === 0n) return '0';
  const text = `${digits}`;
  let zeros = 0;
  while (zeros < scale && text.at(-1 - zeros) === '0') zeros += 1;
  const significant = text.slice(0, text.length - zeros);
  return zeros === scale ? significant : `${significant}e-${scale - zeros}`;
};

const writeNumber = (value: number, source: unknown): string => {
  if (typeof source !== 'string' && Number.isSafeInteger(value)) return `${value}`;
  const decimal = parseDecimal(typeof source === 'string' ? source : `${value}`);
  return decimal ? writeDecimal(decimal) : `${value}`;
};

/**
 * A text that is the same for equal values only (JSON Schema 2020-12, section 4.2.2). Numbers are compared by the digits
 * that were sent, if those are known, and members in any order. `undefined` if the text is longer than the limit: a large
 * value is not read to the end when it cannot be equal any more.
 */
export const identityOf = (
  value: unknown,
  exact: unknown,
  limit = Number.POSITIVE_INFINITY,
): string | undefined => {
  if (typeof value === 'number') return writeNumber(value, exact);
  if (typeof value === 'string' && value.length > limit) return undefined;
  if (!isTree(value)) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const names = Object.keys(value);
  if (names.length > limit) return undefined;
  let text = '';
  for (const name of isList ? names : names.sort()) {
    const identity = identityOf(value[name], ownMember(exact, name), limit - text.length - 2);
    if (identity === undefined || text.length > limit) return undefined;
    text += `${text && ','}${isList ? '' : `${JSON.stringify(name)}:`}${identity}`;
  }
  return isList ? `[${text}]` : `{${text}}`;
};

/** Where a file belongs in a value. */
interface FilePlace {
  readonly holder: object;
  readonly key: PropertyKey;
  readonly bytes: Buffer;
}

/** A value that was sent, with everything about it that plain JavaScript values cannot hold. */
export interface ExactValue {
  /** The result of `JSON.parse`: numbers are doubles. */
  readonly value: unknown;
  /** The same tree, with the text of each number that may exceed a double; `undefined` if there is no such number. */
  readonly exact: unknown;
  /** The bytes of a file. Schemas validate JSON only, so its `value` in a form is a text with a character per byte. */
  readonly bytes?: Buffer | undefined;
  /** The files in it; `restoreFiles` puts them in place once schemas have validated the texts. */
  readonly files?: readonly FilePlace[] | undefined;
}

/** A value whose numbers are all exact as doubles. */
export const plainValue = (value: unknown): ExactValue => ({ value, exact: undefined });

/** The files among the members of a list or an object, and in them. */
const filesIn = (
  holder: object,
  members: Iterable<readonly [key: PropertyKey, member: ExactValue]>,
): FilePlace[] => {
  const files: FilePlace[] = [];
  for (const [key, member] of members) {
    if (member.bytes) files.push({ holder, key, bytes: member.bytes });
    if (member.files) files.push(...member.files);
  }
  return files;
};

/** A list of values. */
export const listOf = (items: readonly ExactValue[]): ExactValue => {
  const value = items.map((item) => item.value);
  return { value, exact: items.map(({ exact }) => exact), files: filesIn(value, items.entries()) };
};

/** An object of values. Its members are its own, whatever their names: a client may well send `__proto__`. */
export const objectOf = (members: readonly (readonly [name: string, member: ExactValue])[]): ExactValue => {
  const value = Object.fromEntries(members.map(([name, member]) => [name, member.value]));
  const exact = Object.fromEntries(members.map(([name, member]) => [name, member.exact]));
  return { value, exact, files: filesIn(value, members) };
};

/** Puts files back into a value in place of their placeholder texts. A missing member was `readOnly`. */
export const restoreFiles = (files: readonly FilePlace[]): void => {
  for (const { holder, key, bytes } of files) if (Object.hasOwn(holder, key)) Reflect.set(holder, key, bytes);
};

/** A value of the document as if it had been sent: there an integer that no double holds is a bigint. */
export const fromDocument = (value: unknown): ExactValue => {
  if (typeof value === 'bigint') return { value: Number(value), exact: `${value}` };
  if (typeof value !== 'object' || value === null) return plainValue(value);
  if (Array.isArray(value)) return listOf(value.map(fromDocument));
  return objectOf(Object.entries(value).map(([name, member]) => [name, fromDocument(member)]));
};

/** A part of the document with the nearest double in place of each bigint. */
export const withoutBigints = (value: unknown): unknown =>
  holds(value, isBigint) ? fromDocument(value).value : value;

/** A text that is the same for equal values of the document only. */
export const identify = (made: unknown): string => {
  const { value, exact } = fromDocument(made);
  return identityOf(value, exact) ?? '';
};
