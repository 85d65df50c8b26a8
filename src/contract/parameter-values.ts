import type { Applies, CompileAccepts } from './branches.ts';
import type { Texts } from './parameter-styles.ts';
import { valueAt } from './pointer.ts';
import { membersAt, membersOf, placesOf, typesOf } from './schema-shape.ts';

/** A value, with the digits of its integers where a double may not hold them; see `Json`. */
export interface Typed {
  readonly value: unknown;
  readonly exact: unknown;
}

/** Makes a value of what was sent; `undefined` if it cannot be read that way. */
export type Read<Sent> = (sent: Sent) => Typed | undefined;

/** Strictly decimal: `0x10`, ` 5`, `1e3` and `007` are no integers in a URL. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const inexact = (value: unknown): Typed => ({ value, exact: undefined });

/** How a text is read as each type, the most telling first. */
const SCALARS: readonly (readonly [type: string, read: Read<string>])[] = [
  ['integer', (text) => (INTEGER.test(text) ? { value: Number(text), exact: text } : undefined)],
  ['number', (text) => (NUMBER.test(text) ? { value: Number(text), exact: text } : undefined)],
  ['boolean', (text) => (text === 'true' || text === 'false' ? inexact(text === 'true') : undefined)],
  ['null', (text) => (text === 'null' ? inexact(null) : undefined)],
];

/**
 * Reads in the first way whose outcome is accepted: `50` is a text where an integer may be 10 at most. If none is, in the
 * first way that there is, and the schema says what it wanted. Where there is but one, nobody is asked.
 */
export const firstAccepted =
  <Sent>(ways: readonly Read<Sent>[], accepts: Applies): Read<Sent> =>
  (sent) => {
    let first: Typed | undefined;
    for (const read of ways) {
      const typed = read(sent);
      if (typed === undefined) continue;
      if (ways.length === 1 || accepts(typed.value, typed.exact)) return typed;
      first ??= typed;
    }
    return first;
  };

/** Compiles the way from the texts of a parameter to the value that its schema describes. */
export const createTyping = (document: unknown, acceptsAt: CompileAccepts) => {
  /** One value, of which the schemas at several pointers may have a say. */
  const scalarAt = (pointers: readonly string[]) => {
    const types = new Set(pointers.flatMap((pointer) => [...typesOf(document, pointer)]));
    const places = pointers.flatMap((pointer) => placesOf(document, pointer));
    const ways = SCALARS.filter(([type]) => types.has(type)).map(([, read]) => read);
    const mayBeText = types.has('string') || places.length > 1; // a branch may leave the type open
    const accepts = pointers.map(acceptsAt);
    const read = firstAccepted(mayBeText ? [...ways, inexact] : ways, (value, exact) =>
      accepts.some((each) => each(value, exact)),
    );
    return (text: string): Typed => read(text) ?? inexact(text);
  };

  /** Several values, by all that the schema at a pointer says of them. */
  const compositeAt = (pointer: string) => {
    const at = (...steps: readonly string[]) => membersAt(document, pointer, ...steps);
    const first = at('prefixItems').flatMap((place) => Object.keys(valueAt(document, place) ?? {}));
    const firstItems = [...new Set(first)].map((index) => scalarAt(at('prefixItems', index)));
    const item = scalarAt(at('items'));
    const names = membersOf(document, pointer);
    const members = new Map(names.map((name) => [name, scalarAt(at('properties', name))]));
    const other = scalarAt(at('additionalProperties'));

    return (texts: Exclude<Texts, string>): Typed => {
      if (Array.isArray(texts)) {
        const items = texts.map((text, index) => (firstItems[index] ?? item)(text));
        return { value: items.map(({ value }) => value), exact: items.map(({ exact }) => exact) };
      }
      const typed = Object.entries(texts).map(
        ([name, text]) => [name, (members.get(name) ?? other)(text)] as const,
      );
      return {
        value: Object.fromEntries(typed.map(([name, { value }]) => [name, value])),
        exact: Object.fromEntries(typed.map(([name, { exact }]) => [name, exact])),
      };
    };
  };

  return (pointer: string) => {
    const scalar = scalarAt([pointer]);
    const whole = compositeAt(pointer);
    const [, ...branches] = placesOf(document, pointer); // one of them alone may accept what all of them together do not
    const composite = firstAccepted([whole, ...branches.map(compositeAt)], acceptsAt(pointer));
    return (texts: Texts): Typed =>
      typeof texts === 'string' ? scalar(texts) : (composite(texts) ?? whole(texts));
  };
};
