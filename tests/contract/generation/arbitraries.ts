import fc from 'fast-check';
import { type Json, toJson } from './json.ts';
import type { createOracle } from './oracle.ts';
import { anything, integersOf, numbersOf, stringsOf, text } from './scalars.ts';
import type { createFlatten, Schema, SchemaObject } from './schema.ts';

type Values = fc.Arbitrary<Json>;

/** How deep values go where a schema is recursive. */
const DEPTH = 4;

/** Names that every object has already, and those that nothing has. */
const unknownName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '0', 'a/b~c'),
  text(),
);

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

/** A schema without a type means values of the type that its keywords speak of. */
const typesOf = ({ type, properties, required, items, prefixItems }: SchemaObject): readonly string[] => {
  if (type !== undefined) return typeof type === 'string' ? [type] : type;
  if (properties ?? (required && required.length > 0)) return ['object'];
  return (items ?? prefixItems) === undefined ? ['anything'] : ['array'];
};

/** Makes arbitraries of the values that a schema accepts. */
export const createArbitraries = (
  flatten: ReturnType<typeof createFlatten>,
  accepts: ReturnType<typeof createOracle>,
) => {
  /** Nothing where the schema has no value of this depth. */
  const attempt = (schema: Schema, depth: number): Values | undefined => {
    if (depth < 0) return undefined;
    const alternatives = flatten(schema)
      .map((flat) => ofFlat(flat, depth))
      .filter(isDefined);
    return alternatives.length === 0
      ? undefined
      : fc.oneof(...alternatives).filter((value) => accepts(schema, value));
  };

  const ofFlat = (flat: SchemaObject, depth: number): Values | undefined => {
    if (flat.enum) return flat.enum.length === 0 ? undefined : fc.constantFrom(...flat.enum);
    const perType = typesOf(flat).map((type) => ofType(type, flat, depth));
    const possible = perType.filter(isDefined);
    return possible.length === 0 ? undefined : fc.oneof(...possible);
  };

  const ofType = (type: string, flat: SchemaObject, depth: number): Values | undefined => {
    switch (type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return integersOf(flat);
      case 'number':
        return numbersOf(flat);
      case 'string':
        return stringsOf(flat);
      case 'array':
        return ofArray(flat, depth);
      case 'object':
        return ofObject(flat, depth);
      default:
        return anything;
    }
  };

  const ofArray = (flat: SchemaObject, depth: number): Values | undefined => {
    const { prefixItems = [], items = true, minItems = 0, maxItems = minItems + 5, uniqueItems } = flat;
    const first = prefixItems.slice(0, maxItems).map((each) => attempt(each, depth - 1));
    const rest = attempt(items, depth - 1);
    const lengths = {
      minLength: Math.max(0, minItems - first.length),
      maxLength: Math.max(0, maxItems - first.length),
    };
    if (!first.every(isDefined) || (!rest && lengths.minLength > 0)) return undefined;
    const others = (): fc.Arbitrary<Json[]> => {
      if (!rest) return fc.constant([]);
      return uniqueItems ? fc.uniqueArray(rest, { ...lengths, selector: toJson }) : fc.array(rest, lengths);
    };
    return fc.tuple(fc.tuple(...first), others()).map(([head, tail]) => [...head, ...tail]);
  };

  const ofObject = (flat: SchemaObject, depth: number): Values | undefined => {
    const {
      properties = {},
      required = [],
      additionalProperties = true,
      unevaluatedProperties = true,
    } = flat;
    const others = additionalProperties === true ? unevaluatedProperties : additionalProperties;
    const names = new Set([...Object.keys(properties), ...required]);
    const members = new Map(
      [...names].flatMap((name): [string, Values][] => {
        const values = attempt(properties[name] ?? others, depth - 1);
        return values ? [[name, values]] : [];
      }),
    );
    if (!required.every((name) => members.has(name))) return undefined;
    const known = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
    const other = attempt(others, depth - 1);
    if (!other) return known;
    const unknown = fc.dictionary(
      unknownName.filter((name) => !names.has(name)),
      other,
      { maxKeys: 3 },
    );
    const nowAndThen = fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, { arbitrary: unknown, weight: 1 });
    return fc.tuple(nowAndThen, known).map(([left, right]) => ({ ...left, ...right }));
  };

  /** Values that the schema accepts. */
  return (schema: Schema): Values => {
    const values = attempt(schema, DEPTH);
    if (!values) throw new Error(`nothing can be made from ${JSON.stringify(schema)}`);
    return values;
  };
};
