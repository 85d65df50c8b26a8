import fc from 'fast-check';
import {
  type Built,
  buildObject,
  choose,
  type Member,
  membersOf,
  merge,
  mergeAll,
  type Plan,
  perSample,
  type Sample,
  type Site,
  same,
  withUndeclared,
} from './whole-values.ts';

/** A subtype: it extends the base, or a subtype before it. */
interface Kind {
  readonly parent: number;
  readonly extending: 'allOf' | 'beside' | '$ref';
  readonly members: readonly Member[];
}

/** A base and its subtypes, and the way that a document declares them. */
interface Family {
  readonly naming: 'component' | 'mapping' | 'constant';
  readonly listing: 'nowhere' | 'in the base' | 'in a union';
  readonly union: 'oneOf' | 'anyOf';
  /** Whether the base lists the values of the discriminator. */
  readonly isClosed: boolean;
  readonly base: readonly Member[];
  readonly kinds: readonly Kind[];
  readonly hasFriend: boolean;
  readonly holding: '$ref' | 'described' | 'allOf' | 'wrapper' | 'named wrapper' | 'alias';
  readonly wrapper: readonly Member[];
  /** The subtype of each value; the base for a number beyond them. */
  readonly picks: readonly number[];
}

const refTo = (name: string): string => `#/components/schemas/${name}`;
const ref = (name: string) => ({ $ref: refTo(name) });

const extend = (parent: string, { schema }: Built, extending: Kind['extending']): object => {
  if (extending === 'allOf') return { allOf: [ref(parent), schema] };
  return extending === 'beside' ? { ...schema, allOf: [ref(parent)] } : { ...schema, ...ref(parent) };
};

/** The samples of a family refer to each other: a friend is the value of the next place. */
const withFriends = (samples: readonly Sample[], friend: string): Sample[] =>
  samples.map((sample, nth) => {
    const { sent, received, written } = withUndeclared(samples[(nth + 1) % samples.length] ?? sample);
    return merge(sample, {
      sent: { [friend]: sent },
      received: { [friend]: received },
      written: { [friend]: written },
    });
  });

const buildFamily = (family: Family, site: Site): { name: string; samples: Sample[] } => {
  const { naming, listing, union, isClosed, kinds, hasFriend, picks } = family;
  const [property, friend, id] = [site.name(), site.plainName(), site.plainName()];
  const [base, all] = [`Base${id}`, listing === 'in a union' ? `Union${id}` : `Base${id}`];
  const own = buildObject(family.base, site);
  const made = kinds.map((kind, nth) => {
    const name = `Kind${id}-${nth}`;
    const tag = { component: name, mapping: `k${nth}`, constant: `c${nth}` }[naming];
    const members = buildObject(kind.members, site);
    const properties = { ...Object(members.schema).properties, [property]: { const: tag } };
    const schema = naming === 'constant' ? { ...members.schema, properties } : members.schema;
    // Constants of two levels would contradict each other.
    const parent = naming === 'constant' ? -1 : (kind.parent % (nth + 1)) - 1;
    return { name, tag, parent, own: { ...members, schema }, extending: kind.extending };
  });
  const samplesOf = (nth: number): readonly Sample[] => {
    const kind = made[nth];
    return kind ? mergeAll([samplesOf(kind.parent), kind.own.samples]) : own.samples;
  };
  for (const { name, parent, own: schema, extending } of made)
    site.schemas[name] = extend(made[parent]?.name ?? base, schema, extending);

  const mapping = Object.fromEntries(made.map(({ name, tag }, nth) => [tag, nth % 2 ? name : refTo(name)]));
  const discriminator = { propertyName: property, ...(naming === 'mapping' && { mapping }) };
  const listed = { [union]: made.map(({ name }) => ref(name)), discriminator };
  const values = made.map(({ tag }) => tag);
  const members = {
    type: 'object',
    required: [property],
    properties: {
      [property]: isClosed ? { type: 'string', enum: values } : { type: 'string' },
      ...(hasFriend && { [friend]: ref(all) }),
    },
  };
  site.schemas[base] = {
    ...members,
    allOf: [own.schema],
    ...(listing === 'nowhere' && { discriminator }),
    ...(listing === 'in the base' && listed),
  };
  if (listing === 'in a union') site.schemas[all] = listed;

  const named = made.map(({ tag }, nth) =>
    samplesOf(nth).map((sample) => merge(same({ [property]: tag }), sample)),
  );
  const alone = own.samples.map((sample) => merge(same({ [property]: base }), sample));
  const samples = choose(listing === 'nowhere' && !isClosed ? [...named, alone] : named, picks);
  return { name: all, samples: hasFriend ? withFriends(samples, friend) : samples };
};

const hold = (
  { holding, wrapper, isClosed }: Family,
  { name, samples }: ReturnType<typeof buildFamily>,
  site: Site,
): Built => {
  const more = buildObject(wrapper, site);
  const id = site.plainName();
  switch (holding) {
    case '$ref':
      return { schema: ref(name), samples, takesMore: true };
    case 'described':
      return { schema: { ...ref(name), description: 'A value.' }, samples, takesMore: true };
    case 'allOf':
      return { schema: { allOf: [ref(name)], description: 'A value.' }, samples, takesMore: true };
    case 'alias':
      site.schemas[`Alias${id}`] = ref(name);
      return { schema: ref(`Alias${id}`), samples, takesMore: true };
    default: {
      const schema = { allOf: [ref(name), more.schema] };
      const all = mergeAll([samples, more.samples]);
      if (holding === 'wrapper' || (site.isTyped && !isClosed))
        return { schema, samples: all, takesMore: true };
      site.schemas[`Wrapper${id}`] = schema;
      return { schema: ref(`Wrapper${id}`), samples: all, takesMore: true };
    }
  }
};

/** Plans a value of a base, which is of a subtype or of the base alone. */
export const familiesOf = (plan: fc.Arbitrary<Plan>): fc.Arbitrary<Plan> =>
  fc
    .record<Family>({
      naming: fc.constantFrom('component', 'mapping', 'constant'),
      listing: fc.constantFrom('nowhere', 'nowhere', 'in the base', 'in a union'),
      union: fc.constantFrom('oneOf', 'anyOf'),
      isClosed: fc.boolean(),
      base: membersOf(plan),
      kinds: fc.array(
        fc.record<Kind>({
          parent: fc.nat(3),
          extending: fc.constantFrom('allOf', 'beside', '$ref'),
          members: membersOf(plan),
        }),
        { minLength: 1, maxLength: 4 },
      ),
      hasFriend: fc.boolean(),
      holding: fc.constantFrom('$ref', 'described', 'allOf', 'wrapper', 'named wrapper', 'alias'),
      wrapper: membersOf(plan),
      picks: perSample(fc.nat(9)),
    })
    .map((family) => (site) => hold(family, buildFamily(family, site), site));
