/** Makes schemas of all kinds, each with values that its type allows and with what becomes of them on the way. */
import fc from 'fast-check';

/** How many values each schema has. */
const SAMPLES = 3;

/** A value, with members that its schema does not declare. */
export interface Sample {
  readonly sent: unknown;
  /** The value that a handler gets for a body. */
  readonly received: unknown;
  /** The value that a client gets for a reply. */
  readonly written: unknown;
}

/** A schema with values of it. */
export interface Built {
  readonly schema: object;
  readonly samples: readonly Sample[];
  /** Whether undeclared members can be added to its values. */
  readonly takesMore: boolean;
}

/** Where schemas are built: their components, and names that no two of them share. */
export interface Site {
  readonly schemas: Record<string, object>;
  /** A name of a member; some are hard to handle. */
  readonly name: () => string;
  readonly plainName: () => string;
  /** Whether TypeScript must have the types. It has none for names by pattern, nor for what may be a subtype or hold one. */
  readonly isTyped: boolean;
}

/** Builds a schema in a document. */
export type Plan = (site: Site) => Built;

const HARD_NAMES = ['toString', 'a/b~c %', 'ü', 'valueOf', '0', ' '];

export const createSite = (isTyped = false): Site => {
  const hard = [...HARD_NAMES];
  let count = 0;
  const plainName = (): string => {
    count += 1;
    return `m${count}`;
  };
  return { schemas: {}, name: () => hard.pop() ?? plainName(), plainName, isTyped };
};

export const same = (value: unknown): Sample => ({ sent: value, received: value, written: value });

export const built = (schema: object, values: readonly unknown[]): Built => ({
  schema,
  samples: values.map(same),
  takesMore: false,
});

export const perSample = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(arbitrary, { minLength: SAMPLES, maxLength: SAMPLES });

/** Members that no schema declares. */
const UNDECLARED: object = JSON.parse('{"undeclared":{"id":7},"__proto__":{"admin":true},"constructor":1}');

export const withUndeclared = ({ sent, ...rest }: Sample): Sample => ({
  sent: { ...Object(sent), ...UNDECLARED },
  ...rest,
});

/** Plans a whole value, which gets undeclared members. */
export const whole =
  (plan: Plan): Plan =>
  (site) => {
    const { schema, samples, takesMore } = plan(site);
    return { schema, samples: takesMore ? samples.map(withUndeclared) : samples, takesMore: false };
  };

export const merge = (one: Sample, other: Sample): Sample => ({
  sent: { ...Object(one.sent), ...Object(other.sent) },
  received: { ...Object(one.received), ...Object(other.received) },
  written: { ...Object(one.written), ...Object(other.written) },
});

export const mergeAll = (all: readonly (readonly Sample[])[]): Sample[] =>
  Array.from({ length: SAMPLES }, (_, nth) =>
    all.reduce((sum, samples) => merge(sum, samples[nth] ?? same({})), same({})),
  );

const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'é', '😀', '"', '\\'), maxLength: 5 });
const int64 = { type: 'integer', format: 'int64' };
const INT64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const fractions = fc.integer().map((n) => n / 8 + 0); // never -0
const anything = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', 'b') }).map((value) =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(/-?\d[\d.eE+-]*/g, '7')
      .replaceAll('__proto__', 'p'),
  ),
);

const scalar = <T>(schema: object, values: fc.Arbitrary<T>): fc.Arbitrary<Plan> =>
  perSample(values).map((list) => () => built(schema, list));

export const scalars: fc.Arbitrary<Plan> = fc.oneof(
  scalar(int64, INT64),
  scalar({ ...int64, type: ['integer', 'null'] }, fc.option(INT64)),
  scalar({ type: 'string' }, letters),
  scalar({ type: 'integer' }, fc.integer()),
  scalar({ type: 'number' }, fractions),
  scalar({ type: 'boolean' }, fc.boolean()),
  scalar({ enum: ['a', 'b', null] }, fc.constantFrom('a', 'b', null)),
  scalar({ ...int64, enum: [1, 2] }, fc.constantFrom(1, 2)),
  scalar(
    { oneOf: [{ type: 'string' }, int64, { type: 'null' }] },
    fc.oneof(letters, INT64, fc.constant(null)),
  ),
  scalar({}, anything),
  scalar({ type: 'object' }, fc.dictionary(fc.constantFrom('a', 'b'), anything, { noNullPrototype: true })),
  scalar(
    { type: 'object', additionalProperties: int64 },
    fc.dictionary(fc.constantFrom('a', 'b'), INT64, { noNullPrototype: true }),
  ),
);

/** How a member is marked, in addition to its schema. */
const marks = fc.constantFrom(
  'plain',
  'plain',
  'required',
  'required',
  'readOnly',
  'writeOnly',
  'default',
  'pattern',
);

/** A member of an object. It gets its name where it is built. */
export interface Member {
  readonly plan: Plan;
  readonly mark: string;
  readonly isThere: readonly boolean[];
}

export const membersOf = (plan: fc.Arbitrary<Plan>, least = 0): fc.Arbitrary<Member[]> =>
  fc.array(fc.record({ plan, mark: marks, isThere: perSample(fc.boolean()) }), {
    minLength: least,
    maxLength: 3,
  });

const DEFAULT = 'a default';

/** An object with these members; `schema` has no type, so that it may be a part of another one. */
export const buildObject = (members: readonly Member[], site: Site): Built => {
  const parts = members.map(({ plan, mark: given, isThere }) => {
    const mark = given === 'pattern' && site.isTyped ? 'plain' : given;
    const name = mark === 'pattern' ? site.plainName() : site.name();
    const { schema, samples } =
      mark === 'default' ? built({ type: 'string', default: DEFAULT }, ['b', 'c', 'd']) : whole(plan)(site);
    const marked = mark === 'readOnly' || mark === 'writeOnly' ? { ...schema, [mark]: true } : schema;
    const valuesOf = ({ sent, received, written }: Sample, nth: number): Sample => {
      const own = (value: unknown, isLeftOut = false): object =>
        isLeftOut ? {} : Object.fromEntries([[name, value]]);
      if (mark !== 'required' && !isThere[nth])
        return { sent: {}, received: own(DEFAULT, mark !== 'default'), written: {} };
      return {
        sent: own(sent),
        received: own(received, mark === 'readOnly'),
        written: own(written, mark === 'writeOnly'),
      };
    };
    return { name, mark, schema: marked, samples: samples.map(valuesOf) };
  });
  const named = (isPattern: boolean) =>
    parts.flatMap(({ name, mark, schema }) =>
      (mark === 'pattern') === isPattern ? [[name, schema] as const] : [],
    );
  const patterns = named(true).map(([name, schema]) => [`^${name}$`, schema]);
  const schema = {
    type: 'object',
    required: parts.flatMap(({ name, mark }) => (mark === 'required' ? [name] : [])),
    properties: { known: true, ...Object.fromEntries(named(false)) },
    ...(patterns.length > 0 && { patternProperties: Object.fromEntries(patterns) }),
  };
  return { schema, samples: mergeAll(parts.map(({ samples }) => samples)), takesMore: true };
};

/** An object with one more member, whose value tells the branch of a union. */
export const tagged = (name: string, value: string, { schema, samples, takesMore }: Built): Built => ({
  schema: { allOf: [schema, { required: [name], properties: { [name]: { const: value } } }] },
  samples: samples.map((sample) => merge(same({ [name]: value }), sample)),
  takesMore,
});

export const pick = <T>(list: readonly T[], nth: number): T => {
  const found = list[nth % list.length];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

/** The samples of different schemas, chosen for each place. */
export const choose = (all: readonly (readonly Sample[])[], picks: readonly number[]): Sample[] =>
  picks.map((chosen, nth) => pick(pick(all, chosen), nth));
