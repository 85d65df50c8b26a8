import fc from 'fast-check';
import { when } from '../support/documents.ts';
import { familiesOf } from './whole-families.ts';
import {
  buildObject,
  choose,
  type Member,
  membersOf,
  mergeAll,
  type Plan,
  perSample,
  type Sample,
  type Site,
  scalars,
  tagged,
  whole,
} from './whole-values.ts';

/** Values that hold the given ones. */
const held = (samples: readonly Sample[], hold: (value: unknown) => unknown): Sample[] =>
  samples.map(({ sent, received, written }) => ({
    sent: hold(sent),
    received: hold(received),
    written: hold(written),
  }));

/** Makes a plan of a value that holds others. */
const holding =
  (plan: Plan, schemaOf: (schema: object) => object, hold: (value: unknown) => unknown): Plan =>
  (site) => {
    const { schema, samples } = whole(plan)(site);
    return { schema: schemaOf(schema), samples: held(samples, hold), takesMore: false };
  };

const listsOf = (plan: Plan): Plan =>
  holding(
    plan,
    (items) => ({ type: 'array', items }),
    (value) => [value, value],
  );
const tuplesOf = (plan: Plan): Plan =>
  holding(
    plan,
    (item) => ({ type: 'array', prefixItems: [item, { type: 'string' }], items: item }),
    (value) => [value, 'b', value],
  );
const mapsOf = (plan: Plan): Plan =>
  holding(
    plan,
    (schema) => ({ type: 'object', additionalProperties: schema }),
    (value) => ({ a: value, b: value }),
  );
const nullable = (plan: Plan): Plan =>
  holding(
    plan,
    (schema) => ({ anyOf: [schema, { type: 'null' }] }),
    (value) => value,
  );

/** Objects of these members, as parts of the same value. */
type Combine = (parts: readonly (readonly Member[])[], site: Site) => ReturnType<Plan>;

const objects = (parts: readonly (readonly Member[])[], site: Site) =>
  parts.map((members) => buildObject(members, site));

const together = (parts: ReturnType<typeof objects>, schema: object) => ({
  schema,
  samples: mergeAll(parts.map(({ samples }) => samples)),
  takesMore: true,
});

const allOf: Combine = (parts, site) => {
  const all = objects(parts, site);
  return together(all, { allOf: all.map(({ schema }) => schema) });
};

const component: Combine = (parts, site) => {
  const all = objects(parts, site);
  const name = `Object${site.plainName()}`;
  site.schemas[name] = all[0]?.schema ?? {};
  return together(all, {
    $ref: `#/components/schemas/${name}`,
    allOf: all
      .slice(1)
      .map(({ schema }) => schema)
      .concat({}),
  });
};

/** Nothing else may be sent. */
const closed: Combine = (parts, site) => {
  const { schema, samples } = allOf(parts, site);
  return { schema: { ...schema, unevaluatedProperties: false }, samples, takesMore: false };
};

/** Any other member may be sent. */
const open: Combine = (parts, site) => {
  const { schema, samples } = allOf(parts, site);
  const more = held(samples, (value) => ({ ...Object(value), more: { a: [1] } }));
  return { schema: { ...schema, additionalProperties: true }, samples: more, takesMore: false };
};

/** The members of either of two parts: a third member decides. */
const conditional: Combine = (parts, site) => {
  const name = site.name();
  const [yes, no] = objects(parts, site).map((part, nth) => tagged(name, nth === 0 ? 'yes' : 'no', part));
  const question = { required: [name], properties: { [name]: { const: 'yes' } } };
  return {
    schema: { type: 'object', ...when(question, yes?.schema ?? {}, no?.schema ?? {}) },
    samples: choose(
      [yes, no].flatMap((part) => (part ? [part.samples] : [])),
      [0, 1, 0],
    ),
    takesMore: true,
  };
};

/** A union of objects, by a member that is called the same in all of them. */
const unionOf =
  (keyword: 'oneOf' | 'anyOf', hasDiscriminator: boolean, picks: readonly number[]): Combine =>
  (parts, site) => {
    const propertyName = site.name();
    const branches = objects(parts, site).map((part, nth) => tagged(propertyName, `b${nth}`, part));
    return {
      schema: {
        [keyword]: branches.map(({ schema }) => schema),
        ...(hasDiscriminator && { discriminator: { propertyName } }),
      },
      samples: choose(
        branches.map(({ samples }) => samples),
        picks,
      ),
      takesMore: true,
    };
  };

const combining = (plan: fc.Arbitrary<Plan>): fc.Arbitrary<Plan> => {
  const combines = fc.oneof(
    fc.constantFrom(allOf, component, closed, open, conditional),
    fc
      .tuple(fc.constantFrom<('oneOf' | 'anyOf')[]>('oneOf', 'anyOf'), fc.boolean(), perSample(fc.nat(3)))
      .map((all) => unionOf(...all)),
  );
  const parts = fc.array(membersOf(plan), { minLength: 2, maxLength: 3 });
  return fc.tuple(combines, parts).map(
    ([combine, all]) =>
      (site) =>
        combine(all, site),
  );
};

/** A value of either of two families. */
const unionOfFamilies = (plan: fc.Arbitrary<Plan>): fc.Arbitrary<Plan> =>
  fc
    .record({
      keyword: fc.constantFrom('oneOf', 'anyOf'),
      families: fc.tuple(familiesOf(plan), familiesOf(plan)),
      picks: perSample(fc.nat(1)),
    })
    .map(({ keyword, families, picks }) => (site) => {
      const branches = families.map((family) => family(site));
      return {
        schema: { [keyword]: branches.map(({ schema }) => schema) },
        samples: choose(
          branches.map(({ samples }) => samples),
          picks,
        ),
        takesMore: true,
      };
    });

/** Schemas of all kinds, nested a few levels. */
export const { plans } = fc.letrec<{ plans: Plan; inner: Plan }>((tie) => ({
  inner: fc.oneof({ maxDepth: 2, depthIdentifier: 'plans' }, scalars, tie('plans')),
  plans: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'plans' },
    scalars,
    fc
      .tuple(fc.constantFrom(listsOf, tuplesOf, mapsOf, nullable), tie('inner'))
      .map(([hold, plan]) => hold(plan)),
    membersOf(tie('inner'), 1).map((members) => (site: Site) => buildObject(members, site)),
    combining(tie('inner')),
    familiesOf(tie('inner')),
    unionOfFamilies(tie('inner')),
  ),
}));
