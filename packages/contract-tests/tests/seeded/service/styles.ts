import { readJson, readNumber, type Value } from './json.ts';

/** Reads one value. */
export type Read = (text: string) => Value;

/** An unparsed text. Readers return it for invalid input, which the type check then rejects. */
export const asText: Read = (text) => text;
/** An integer in decimal digits. */
export const asInteger: Read = (text) => (/^-?(0|[1-9]\d*)$/.test(text) ? BigInt(text) : text);
/** A number as JSON writes it. */
export const asNumber: Read = (text) =>
  /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? readNumber(text) : text;
/** true or false. */
export const asBoolean: Read = (text) => (text === 'true' || text === 'false' ? text === 'true' : text);
/** A JSON text. */
export const asJson: Read = (text) => {
  try {
    return readJson(text);
  } catch {
    return text;
  }
};

/** Pairs of names and values in form-urlencoded text. Throws on a percent sign that encodes nothing. */
export const readPairs = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.replaceAll('+', ' ').split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    });

/** Names and values in the order in which they were sent. */
export type Pairs = ReturnType<typeof readPairs>;
/** Reads a parameter from pairs. */
export type Reader = (pairs: Pairs, name: string) => Value | undefined;

/** The values of a name. */
export const valuesOf = (pairs: Pairs, name: string) =>
  pairs.flatMap(([each, value]) => (each === name ? value : []));

/** The first value of a name. */
export const one =
  (read: Read): Reader =>
  (pairs, name) =>
    valuesOf(pairs, name).map(read)[0];

/** A list with one pair an item (form, exploded). */
export const many =
  (read: Read): Reader =>
  (pairs, name) => {
    const values = valuesOf(pairs, name);
    return values.length === 0 ? undefined : values.map(read);
  };

/** A list in one value. */
export const split = (separator: string, read: Read): Reader =>
  one((text) => text.split(separator).map(read));

const readMembers = (entries: Pairs, reads: Readonly<Record<string, Read>>): Value =>
  Object.fromEntries(entries.map(([name, text]) => [name, (reads[name] ?? asText)(text)]));

/** An object with one pair a member (deepObject). */
export const deep =
  (reads: Readonly<Record<string, Read>>): Reader =>
  (pairs, name) => {
    const entries = pairs.flatMap(([key, value]) => {
      const [, member] = key.startsWith(`${name}[`) ? (/\[(.*)\]$/.exec(key) ?? []) : [];
      return member === undefined ? [] : [[member, value] as const];
    });
    return entries.length === 0 ? undefined : readMembers(entries, reads);
  };

/** An object in one value (form, not exploded). */
export const flat = (reads: Readonly<Record<string, Read>>): Reader =>
  one((text) => {
    const parts = text.split(',');
    if (parts.length % 2 === 1) return text;
    const names = parts.filter((_, at) => at % 2 === 0);
    return readMembers(
      names.map((name, at) => [name, parts[at * 2 + 1] ?? '']),
      reads,
    );
  });

/** A list with a dot before each item (label, exploded). */
export const label = (read: Read): Reader =>
  one((text) => (text.startsWith('.') ? text.slice(1).split('.').map(read) : text));

/** An object with a semicolon before each member (matrix, exploded). */
export const matrix = (reads: Readonly<Record<string, Read>>): Reader =>
  one((text) => {
    const entries = text
      .split(';')
      .slice(1)
      .map((part) => part.split('='));
    return text.startsWith(';')
      ? readMembers(
          entries.map(([name = '', value = '']) => [name, value]),
          reads,
        )
      : text;
  });
