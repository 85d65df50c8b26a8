import fc from 'fast-check';

/** A schema, with values that its author had in mind: every member is declared, asked for, or allowed. */
export interface Made {
  readonly schema: object;
  readonly value: unknown;
}

type Members = Record<string, unknown>;

const made = (schema: object, values: fc.Arbitrary<unknown>): fc.Arbitrary<Made> =>
  values.map((value) => ({ schema, value }));

/** `{ $hoist: schema }` is a placeholder for a reference to a component; see `hoist`. */
const hoisted = ({ schema, value }: Made): Made => ({ schema: { $hoist: schema }, value });

const int64 = { type: 'integer', format: 'int64' };
const int64s = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const texts = fc.constantFrom('', 'a', '0', 'é"\\', '__proto__');

const scalars: fc.Arbitrary<Made> = fc.oneof(
  made(int64, int64s),
  made({ type: ['integer', 'null'], format: 'int64' }, fc.oneof(int64s, fc.constant(null))),
  made({ anyOf: [int64, { type: 'null' }] }, fc.oneof(int64s, fc.constant(null))),
  made({ type: 'string' }, texts),
  made({ enum: ['a', 'b', 7, null] }, fc.constantFrom('a', 'b', 7, null)),
  made({ type: 'boolean' }, fc.boolean()),
  made({ type: 'object' }, fc.constantFrom({}, { free: [1, { deep: 'x' }] })),
  made({}, fc.constantFrom(null, 1, 'x', [{ any: 1 }], { any: { thing: [] } })),
);

const NAMES = ['a', 'b', 'c', 'id', 'constructor', 'toString', 'hasOwnProperty'];
const PATTERNED = ['x-a', 'x-b'];
const OTHERS = ['other', 'valueOf', '9'];

const some = <T>(values: readonly T[], maxLength = 3): fc.Arbitrary<T[]> =>
  fc.subarray([...values], { maxLength: Math.min(maxLength, values.length) });

const valuesOf = (members: readonly (readonly [string, Made])[]): Members =>
  Object.fromEntries(members.map(([name, { value }]) => [name, value]));
const schemasOf = (members: readonly (readonly [string, Made])[]): Members =>
  Object.fromEntries(members.map(([name, { schema }]) => [name, schema]));

/** Members of these names, each with a separate schema. */
const membersOf = (names: fc.Arbitrary<string[]>, part: fc.Arbitrary<Made>) =>
  names.chain((all) => fc.tuple(...all.map((name) => part.map((each) => [name, each] as const))));

/** Members of these names that share a schema. */
const sharing = (names: readonly string[], part: fc.Arbitrary<Made>) =>
  fc.tuple(some(names), part).map(([all, each]) => all.map((name) => [name, each] as const));

/** An object that declares its members in several ways. `isOpen` allows other schemas to add members to it. */
const objectsOf = (part: fc.Arbitrary<Made>, names: readonly string[], isOpen: boolean): fc.Arbitrary<Made> =>
  fc
    .record({
      declared: membersOf(some(names), part),
      asked: some(isOpen ? [] : names),
      patterned: sharing(isOpen ? [] : PATTERNED, part),
      others: sharing(isOpen ? [] : OTHERS, part),
      rest: fc.constantFrom('additionalProperties', 'unevaluatedProperties'),
      isClosed: fc.boolean(),
      hasType: fc.boolean(),
    })
    .map(({ declared, asked, patterned, others, rest, isClosed, hasType }) => {
      const known = new Set(declared.map(([name]) => name));
      const undeclared = isClosed || others.length > 0 ? [] : asked.filter((name) => !known.has(name));
      const [[, other] = []] = others;
      const [[, pattern] = []] = patterned;
      const required = [...undeclared, ...declared.slice(0, 1).map(([name]) => name)];
      return {
        schema: {
          ...(hasType && { type: 'object' }),
          ...(required.length > 0 && { required }),
          ...(declared.length > 0 && { properties: schemasOf(declared) }),
          ...(pattern && { patternProperties: { '^x-': pattern.schema } }),
          ...(other ? { [rest]: other.schema } : !isOpen && isClosed && { [rest]: false }),
        },
        value: {
          ...valuesOf(declared),
          ...Object.fromEntries(undeclared.map((name) => [name, { asked: name }])),
          ...valuesOf(patterned),
          ...valuesOf(others),
        },
      };
    });

/** The halves have different names, so that together they fit one value. */
const halves = (part: fc.Arbitrary<Made>) =>
  fc.tuple(objectsOf(part, NAMES.slice(0, 3), true), objectsOf(part, NAMES.slice(3), true));

const merged = (...all: readonly Made[]): Members => Object.assign({}, ...all.map(({ value }) => value));

const listsOf = (part: fc.Arbitrary<Made>): fc.Arbitrary<Made> =>
  fc.oneof(
    part.map(({ schema, value }) => ({
      schema: { type: 'array', items: schema },
      value: [value, value],
    })),
    fc.tuple(part, part, part).map(([one, two, rest]) => ({
      schema: { type: 'array', prefixItems: [one.schema, two.schema], items: rest.schema },
      value: [one.value, two.value, rest.value],
    })),
    fc.tuple(part, part).map(([one, rest]) => ({
      schema: { prefixItems: [one.schema], unevaluatedItems: rest.schema },
      value: [one.value, rest.value],
    })),
    halves(part).map(([item, inside]) => ({
      schema: { type: 'array', items: item.schema, contains: inside.schema },
      value: [merged(item, inside)],
    })),
  );

/** Objects to which several schemas apply, with both of their members. */
const joined = (part: fc.Arbitrary<Made>): fc.Arbitrary<Made> =>
  fc.tuple(halves(part), part, fc.nat(7)).map(([[one, two], other, way]) => {
    const both = merged(one, two);
    const tagged = { ...both, tag: 'yes' };
    const isYes = { required: ['tag'], properties: { tag: { const: 'yes' } } };
    const joins: readonly Made[] = [
      { schema: { allOf: [one.schema, two.schema] }, value: both },
      { schema: { ...hoisted(one).schema, ...two.schema }, value: both },
      { schema: { ...one.schema, anyOf: [two.schema, { required: ['nothing'] }] }, value: both },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { schema: { ...one.schema, if: isYes, then: two.schema, else: false }, value: tagged },
      { schema: { ...one.schema, dependentSchemas: { tag: two.schema } }, value: tagged },
      { schema: { ...one.schema, dependentRequired: { a: ['tag'] } }, value: { ...merged(one), tag: 1 } },
      {
        schema: { allOf: [one.schema, two.schema], unevaluatedProperties: other.schema },
        value: { ...both, rest: other.value },
      },
      {
        schema: { allOf: [{ properties: { a: one.schema } }, { additionalProperties: two.schema }] },
        value: { a: both, z: two.value },
      },
    ];
    return joins[way] ?? one;
  });

/** A union, and a value of its first branch. */
const unions = (part: fc.Arbitrary<Made>): fc.Arbitrary<Made> =>
  fc.tuple(part, part, fc.constantFrom('oneOf', 'anyOf')).map(([one, two, keyword]) => ({
    schema: { [keyword]: [two.schema, one.schema] },
    value: one.value,
  }));

/** A union whose branches do not describe the member that names them. */
const discriminated = (part: fc.Arbitrary<Made>): fc.Arbitrary<Made> =>
  halves(part).map(([one, two]) => ({
    schema: {
      $tagged: { type: 'object', oneOf: [hoisted(one).schema, hoisted(two).schema] },
    },
    value: { ...merged(one), kind: 'first' },
  }));

const { any } = fc.letrec<{ any: Made }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    objectsOf(tie('any'), NAMES, false),
    listsOf(tie('any')),
    joined(tie('any')),
    unions(tie('any')),
    discriminated(tie('any')),
    tie('any').map(hoisted),
  ),
}));

/** Schemas of every keyword that has a say in members and items, each with a value. */
export const madeSchemas: fc.Arbitrary<Made> = any;

/** The schema with its references, and the components that those lead to. */
export const hoist = (
  schema: object,
  prefix: string,
): { readonly schema: unknown; readonly schemas: Members } => {
  const schemas: Members = {};
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const { $hoist, $tagged, ...rest } = Object.fromEntries(Object.entries(value));
    const others = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, visit(each)]));
    if ($tagged !== undefined) {
      const union = Object(visit($tagged));
      const mapping = { first: union.oneOf[0].$ref, second: union.oneOf[1].$ref };
      return { ...union, discriminator: { propertyName: 'kind', mapping } };
    }
    if ($hoist === undefined) return others;
    const target = visit($hoist);
    const name = `${prefix}${Object.keys(schemas).length}`;
    schemas[name] = target;
    return { ...others, $ref: `#/components/schemas/${name}` };
  };
  return { schema: visit(schema), schemas };
};
