import type { Texts } from './parameter-styles.ts';
import { valueAt } from './pointer.ts';
import { membersAt, typesOf } from './schema-shape.ts';

/** A value, with the digits of its integers where a double may not hold them; see `Json`. */
export interface Typed {
  readonly value: unknown;
  readonly exact: unknown;
}

/** Strictly decimal: `0x10`, ` 5`, `1e3` and `007` are no integers in a URL. */
const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The first type that fits; what fits none stays a text, and the schema says what it wanted. */
const toScalar = (text: string, types: ReadonlySet<string>): Typed => {
  if (types.has('integer') && INTEGER.test(text)) return { value: Number(text), exact: text };
  if (types.has('number') && NUMBER.test(text)) return { value: Number(text), exact: undefined };
  if (types.has('boolean') && (text === 'true' || text === 'false'))
    return { value: text === 'true', exact: undefined };
  if (types.has('null') && text === 'null') return { value: null, exact: undefined };
  return { value: text, exact: undefined };
};

/** Compiles the way from the texts of a parameter to the value that its schema describes. */
export const createTyping = (document: unknown) => {
  const scalarAt = (pointers: readonly string[]) => {
    const types = new Set(pointers.flatMap((pointer) => [...typesOf(document, pointer)]));
    return (text: string): Typed => toScalar(text, types);
  };

  return (pointer: string) => {
    const at = (...steps: readonly string[]) => membersAt(document, pointer, ...steps);
    const scalar = scalarAt([pointer]);
    const first = at('prefixItems').flatMap((place) => Object.keys(valueAt(document, place) ?? {}));
    const firstItems = [...new Set(first)].map((index) => scalarAt(at('prefixItems', index)));
    const item = scalarAt(at('items'));
    const memberOf = (name: string) => {
      const named = at('properties', name);
      return scalarAt(named.length > 0 ? named : at('additionalProperties'));
    };

    return (texts: Texts): Typed => {
      if (typeof texts === 'string') return scalar(texts);
      if (Array.isArray(texts)) {
        const items = texts.map((text, index) => (firstItems[index] ?? item)(text));
        return { value: items.map(({ value }) => value), exact: items.map(({ exact }) => exact) };
      }
      const members = Object.entries(texts).map(([name, text]) => [name, memberOf(name)(text)] as const);
      return {
        value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
        exact: Object.fromEntries(members.map(([name, { exact }]) => [name, exact])),
      };
    };
  };
};
