import fc from 'fast-check';
import type { Judge } from '../schemas/flatten.ts';
import { identityOf, type Json, present } from '../values/json.ts';
import { ownOf, type Schema, type SchemaObject } from '../values/schema.ts';
import { type Alphabet, anything, integersOf, numbersOf, stringsOf, text } from './scalars.ts';

const MOST_MISSES = 1000;

/** Filters values; throws the problem instead of searching forever. */
export const filterOrGiveUp = <T>(
  values: fc.Arbitrary<T>,
  test: (value: T) => boolean,
  problem: Error,
): fc.Arbitrary<T> => {
  let misses = 0;
  return values.filter((value) => {
    misses = test(value) ? 0 : misses + 1;
    if (misses > MOST_MISSES) throw problem;
    return misses === 0;
  });
};

/** No valid request can be generated for an operation. The contract or the generator is at fault, not the service. */
export class NotGenerated extends Error {
  override readonly name = 'NotGenerated';
}

type Values = fc.Arbitrary<Json>;

interface Generator extends Judge {
  readonly alphabet: Alphabet;
  /** Schemas that accept none of the generated values. Only their examples are used. */
  readonly notGenerated: Set<Schema>;
}

const DEPTH = 4;

/** Inherited names of objects, and any other. Not `__proto__`, which parsers may reject. */
const unknownName = fc.oneof(
  fc.constantFrom('constructor', 'toString', 'hasOwnProperty', '', '0', 'a/b~c'),
  text(),
);

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

const examplesOf = ({ flatten, accepts }: Generator, schema: Schema): Json[] =>
  flatten(schema)
    .flatMap(({ examples = [], example, default: fallback }) => [...examples, example, fallback])
    .filter((value) => value !== undefined)
    .filter((value) => accepts(schema, value));

/** Arbitrary of valid values; `undefined` if the schema has no value of this depth. */
const attempt = (generator: Generator, schema: Schema, depth: number): Values | undefined => {
  if (depth < 0) return undefined;
  const examples = examplesOf(generator, schema);
  const made = generator.notGenerated.has(schema) ? [] : alternativesOf(generator, schema, depth);
  const known = examples.length === 0 ? [] : [{ arbitrary: fc.constantFrom(...examples), weight: 1 }];
  if (made.length + known.length === 0) return undefined;
  const values = fc.oneof(...made.map((arbitrary) => ({ arbitrary, weight: 4 })), ...known);
  return filterOrGiveUp(values, (value) => generator.accepts(schema, value), new CannotGenerate(schema));
};

/** One arbitrary per alternative, without checking the other keywords of the schema. */
const alternativesOf = (generator: Generator, schema: Schema, depth: number): Values[] =>
  generator.flatten(schema).flatMap((flat) => {
    if (flat.enum) return flat.enum.length === 0 ? [] : [fc.constantFrom(...flat.enum)];
    const values = present(...typesOf(flat).map((type) => ofType(generator, type, flat, depth)));
    return values.length === 0 ? [] : [fc.oneof(...values)];
  });

const ofType = (
  generator: Generator,
  type: string,
  flat: SchemaObject,
  depth: number,
): Values | undefined => {
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
      return stringsOf(flat, generator.alphabet);
    case 'array':
      return arraysOf(generator, flat, depth - 1);
    case 'object':
      return objectsOf(generator, flat, depth - 1);
    default:
      return generator.alphabet === 'any' ? anything : text({}, generator.alphabet);
  }
};

const arraysOf = (generator: Generator, flat: SchemaObject, depth: number): Values | undefined => {
  const { prefixItems = [], minItems = 0, maxItems = minItems + 5, uniqueItems, contains } = flat;
  const items = flat.items ?? flat.unevaluatedItems ?? true;
  const prefix = prefixItems.slice(0, maxItems).map((each) => attempt(generator, each, depth));
  const first = present(...prefix);
  const isWhole = first.length === prefix.length;
  if (depth >= 0 && contains !== undefined) {
    const wanted = alternativesOf(generator, { allOf: [items, contains] }, depth);
    const count = wanted.length === 0 ? 0 : Math.min(flat.minContains ?? 1, maxItems);
    for (let index = 0; index < count; index += 1) first.push(fc.oneof(...wanted));
  }
  const rest = attempt(generator, items, depth);
  const minLength = Math.max(0, minItems - first.length);
  const lengths = { minLength, maxLength: Math.max(0, maxItems - first.length) };
  if (!isWhole || (!rest && minLength > 0)) return undefined;
  const unique = { ...lengths, selector: identityOf };
  const others = rest && (uniqueItems ? fc.uniqueArray(rest, unique) : fc.array(rest, lengths));
  return fc.tuple(fc.tuple(...first), others ?? fc.constant([])).map(([head, tail]) => [...head, ...tail]);
};

const objectsOf = (generator: Generator, flat: SchemaObject, depth: number): Values | undefined => {
  const { properties = {}, required = [], minProperties = 0, maxProperties = Infinity } = flat;
  const others = flat.additionalProperties ?? flat.unevaluatedProperties ?? true;
  const dependents = Object.entries(flat.dependentRequired ?? {}).flat(2);
  const names = new Set([...Object.keys(properties), ...required, ...dependents]);
  const members = new Map(
    [...names].flatMap((name): [string, Values][] => {
      const values = attempt(generator, ownOf(properties, name) ?? others, depth);
      return values ? [[name, values]] : [];
    }),
  );
  if (!required.every((name) => members.has(name))) return undefined;
  const known = fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
  const pairs = present(
    ...Object.entries(flat.patternProperties ?? {}).map(([pattern, schema]) =>
      undeclaredMember(generator, flat, { pattern }, schema, depth),
    ),
    undeclaredMember(generator, flat, {}, others, depth),
  );
  const least = Math.max(0, minProperties - members.size);
  if (pairs.length === 0) return least > 0 ? undefined : known;
  // Names are not filtered one by one: if none passes, the filter would loop forever.
  const unknown = fc
    .array(fc.oneof(...pairs), { minLength: least, maxLength: Math.max(least, Math.min(3, maxProperties)) })
    .map((made) => Object.fromEntries(made.filter(([name]) => !names.has(name))));
  const isNeeded = minProperties > required.length;
  const rarely = { arbitrary: unknown, weight: 1 };
  const sometimes = isNeeded ? unknown : fc.oneof({ arbitrary: fc.constant({}), weight: 2 }, rarely);
  return fc.tuple(sometimes, known).map(([left, right]) => ({ ...left, ...right }));
};

/** A member without a declared name: it matches a pattern, or is additional. */
const undeclaredMember = (
  generator: Generator,
  { propertyNames = true }: SchemaObject,
  ofName: SchemaObject,
  schema: Schema,
  depth: number,
): fc.Arbitrary<[name: string, value: Json]> | undefined => {
  const values = attempt(generator, schema, depth);
  if (!values) return undefined;
  const isFree = ofName.pattern === undefined && propertyNames === true && generator.alphabet === 'any';
  const names = alternativesOf(generator, { allOf: [{ type: 'string' }, ofName, propertyNames] }, 0);
  const name = isFree || names.length === 0 ? unknownName : fc.oneof(...names).map(String);
  return fc.tuple(name, values);
};

/** Arbitrary of valid values. A part that cannot be generated uses its examples or is omitted. */
const generate = (generator: Generator, schema: Schema): Values => {
  for (;;) {
    const values = attempt(generator, schema, DEPTH);
    if (!values) throw new NotGenerated(`no value can be generated from ${identityOf(schema)}`);
    try {
      fc.sample(values, { seed: 1, numRuns: 20 });
      return values;
    } catch (error) {
      if (!(error instanceof CannotGenerate) || generator.notGenerated.has(error.schema)) throw error;
      generator.notGenerated.add(error.schema);
    }
  }
};

/** Creates arbitraries of the values that a schema accepts, from its keywords and examples. */
export const createArbitraries = (judge: Judge) => {
  const common = { ...judge, notGenerated: new Set<Schema>() };
  return (schema: Schema, alphabet: Alphabet = 'any'): Values => generate({ ...common, alphabet }, schema);
};

/** Creates arbitraries of the values that a schema accepts. */
export type ArbitraryOf = ReturnType<typeof createArbitraries>;
