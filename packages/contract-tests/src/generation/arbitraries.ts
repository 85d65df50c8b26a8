import fc from 'fast-check';
import type { Oracle } from '../oracle/oracle.ts';
import { identityOf, type Json } from '../values/json.ts';
import { ownOf, type Schema, type SchemaObject } from '../values/schema.ts';
import { filterOrGiveUp, NotGenerated } from './filter.ts';
import type { Flatten } from './flatten.ts';
import { integersOf, numbersOf } from './number-values.ts';
import { type Alphabet, anything, stringsOf, text } from './scalars.ts';

type Values = fc.Arbitrary<Json>;

/** The depth of values of a recursive schema. */
const DEPTH = 4;

/** Inherited names of objects, and any other. Not `__proto__`, which parsers may reject. */
const unknownName = fc.oneof(
  fc.constantFrom('constructor', 'toString', 'hasOwnProperty', '', '0', 'a/b~c'),
  text(),
);

const isDefined = <T>(value: T | undefined): value is T => value !== undefined;

/** The types of a schema; without `type`, the type that its keywords apply to. */
export const typesOf = (flat: SchemaObject): readonly string[] => {
  const { type, properties, required, items, prefixItems, pattern, minLength, minimum, maximum } = flat;
  if (type !== undefined) return typeof type === 'string' ? [type] : type;
  if (properties ?? flat.patternProperties ?? flat.dependentRequired ?? (required && required.length > 0))
    return ['object'];
  if (items ?? prefixItems ?? flat.contains) return ['array'];
  if ((pattern ?? minLength ?? flat.maxLength) !== undefined) return ['string'];
  return (minimum ?? maximum ?? flat.multipleOf) === undefined ? ['anything'] : ['number'];
};

/** The schema accepted none of many generated values. */
class CannotGenerate extends NotGenerated {
  readonly schema: Schema;
  constructor(schema: Schema) {
    super('no value that was generated from the schema is accepted');
    this.schema = schema;
  }
}

/** Creates arbitraries of the values that a schema accepts, from its keywords and examples. */
export const createArbitraries = (flatten: Flatten, { accepts }: Pick<Oracle, 'accepts'>) => {
  const notGenerated = new Set<Schema>();

  const forAlphabet = (alphabet: Alphabet) => {
    const accepted = (values: Values, schema: Schema): Values =>
      filterOrGiveUp(
        values,
        (value) => accepts(schema, value),
        () => new CannotGenerate(schema),
      );

    const examplesOf = (schema: Schema): Json[] =>
      flatten(schema)
        .flatMap(({ examples = [], example, default: fallback }) => [...examples, example, fallback])
        .filter(isDefined)
        .filter((value) => accepts(schema, value));

    /** `undefined` if the schema has no value of this depth. */
    const attempt = (schema: Schema, depth: number): Values | undefined => {
      if (depth < 0) return undefined;
      const examples = examplesOf(schema);
      const made = notGenerated.has(schema) ? [] : waysTo(schema, depth);
      const known = examples.length === 0 ? [] : [{ arbitrary: fc.constantFrom(...examples), weight: 1 }];
      if (made.length + known.length === 0) return undefined;
      const weighed = made.map((arbitrary) => ({ arbitrary, weight: 4 }));
      return accepted(fc.oneof(...weighed, ...known), schema);
    };

    /** One arbitrary per alternative, without checking the other keywords of the schema. */
    const waysTo = (schema: Schema, depth: number): Values[] =>
      depth < 0
        ? []
        : flatten(schema)
            .map((flat) => ofFlat(flat, depth))
            .filter(isDefined);

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
          return stringsOf(flat, alphabet);
        case 'array':
          return ofArray(flat, depth);
        case 'object':
          return ofObject(flat, depth);
        default:
          return alphabet === 'any' ? anything : text({}, alphabet);
      }
    };

    const ofArray = (flat: SchemaObject, depth: number): Values | undefined => {
      const { prefixItems = [], minItems = 0, maxItems = minItems + 5, uniqueItems, contains } = flat;
      const items = flat.items ?? flat.unevaluatedItems ?? true;
      const first = prefixItems.slice(0, maxItems).map((each) => attempt(each, depth - 1));
      const wanted = contains === undefined ? [] : waysTo({ allOf: [items, contains] }, depth - 1);
      if (wanted.length > 0)
        first.push(
          ...Array.from({ length: Math.min(flat.minContains ?? 1, maxItems) }, () => fc.oneof(...wanted)),
        );
      const rest = attempt(items, depth - 1);
      const lengths = {
        minLength: Math.max(0, minItems - first.length),
        maxLength: Math.max(0, maxItems - first.length),
      };
      if (!first.every(isDefined) || (!rest && lengths.minLength > 0)) return undefined;
      const others = (): fc.Arbitrary<Json[]> => {
        if (!rest) return fc.constant([]);
        return uniqueItems
          ? fc.uniqueArray(rest, { ...lengths, selector: identityOf })
          : fc.array(rest, lengths);
      };
      return fc.tuple(fc.tuple(...first), others()).map(([head, tail]) => [...head, ...tail]);
    };

    const ofObject = (flat: SchemaObject, depth: number): Values | undefined => {
      const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = flat;
      const others = flat.additionalProperties ?? flat.unevaluatedProperties ?? true;
      const asked = Object.entries(flat.dependentRequired ?? {}).flat(2);
      const names = new Set([...Object.keys(properties), ...required, ...asked]);
      const members = new Map(
        [...names].flatMap((name): [string, Values][] => {
          const values = attempt(ownOf(properties, name) ?? others, depth - 1);
          return values ? [[name, values]] : [];
        }),
      );
      if (!required.every((name) => members.has(name))) return undefined;
      const known = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
      const kinds = [
        ...Object.entries(flat.patternProperties ?? {}).map(
          ([pattern, schema]) => [{ pattern }, schema] as const,
        ),
        [{}, others] as const,
      ].map(([ofName, schema]) => ofUnknown(flat, ofName, schema, depth));
      const pairs = kinds.filter(isDefined);
      const least = Math.max(0, minProperties - members.size);
      const most = Math.max(least, Math.min(3, maxProperties));
      if (pairs.length === 0) return least > 0 ? undefined : known;
      // Names are not filtered one by one: if none passes, the filter would loop forever.
      const unknown = fc
        .array(fc.oneof(...pairs), { minLength: least, maxLength: most })
        .map((made) => Object.fromEntries(made.filter(([name]) => !names.has(name))));
      const nowAndThen =
        minProperties > required.length
          ? unknown
          : fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, { arbitrary: unknown, weight: 1 });
      return fc.tuple(nowAndThen, known).map(([left, right]) => ({ ...left, ...right }));
    };

    /** A member without a declared name: it matches a pattern, or is additional. */
    const ofUnknown = (
      { propertyNames = true }: SchemaObject,
      ofName: SchemaObject,
      schema: Schema,
      depth: number,
    ): fc.Arbitrary<[name: string, value: Json]> | undefined => {
      const values = attempt(schema, depth - 1);
      if (!values) return undefined;
      const isFree = ofName.pattern === undefined && propertyNames === true && alphabet === 'any';
      const fitting = waysTo({ allOf: [{ type: 'string' }, ofName, propertyNames] }, 0);
      const name = isFree || fitting.length === 0 ? unknownName : fc.oneof(...fitting).map(String);
      return fc.tuple(name, values);
    };

    /** Arbitrary of valid values. A part that cannot be generated uses its examples or is omitted. */
    return (schema: Schema): Values => {
      for (;;) {
        const values = attempt(schema, DEPTH);
        if (!values) throw new NotGenerated(`no value can be generated from ${identityOf(schema)}`);
        try {
          fc.sample(values, { seed: 1, numRuns: 20 });
          return values;
        } catch (error) {
          if (!(error instanceof CannotGenerate) || notGenerated.has(error.schema)) throw error;
          notGenerated.add(error.schema);
        }
      }
    };
  };

  const made = { any: forAlphabet('any'), word: forAlphabet('word') };
  return (schema: Schema, alphabet: Alphabet = 'any'): Values => made[alphabet](schema);
};

/** Makes arbitraries of the values that a schema accepts. */
export type ArbitraryOf = ReturnType<typeof createArbitraries>;
