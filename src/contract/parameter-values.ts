import type { Texts } from './parameter-styles.ts';
import { memberAt, typesOf } from './schema-shape.ts';

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
  const scalarAt = (pointer: string | undefined) => {
    const types = pointer === undefined ? new Set<string>() : typesOf(document, pointer);
    return (text: string): Typed => toScalar(text, types);
  };

  return (pointer: string) => {
    const scalar = scalarAt(pointer);
    const item = scalarAt(memberAt(document, pointer, 'items'));
    const memberOf = (name: string) =>
      scalarAt(
        memberAt(document, pointer, 'properties', name) ??
          memberAt(document, pointer, 'additionalProperties'),
      );

    return (texts: Texts): Typed => {
      if (typeof texts === 'string') return scalar(texts);
      if (Array.isArray(texts)) {
        const items = texts.map(item);
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
