import { identityOf } from './identity.ts';
import { isBigint } from './int64.ts';
import { holds } from './pointer.ts';

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
