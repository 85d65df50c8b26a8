import { isTree, ownMember, pointerTo, valueAt } from '../json/pointer.ts';
import { discriminatedAt, subtypesAt } from '../schema/discriminator.ts';
import { placesOf } from '../schema/shape.ts';

/** A schema that a value must fit, with its place in the document; the constant of a discriminator has no place. */
export interface SchemaPart {
  readonly schema: unknown;
  readonly at: string | undefined;
}

/** The schema at a pointer. */
export const partAt = (document: unknown, at: string): SchemaPart => ({ schema: valueAt(document, at), at });

/** The schema at these steps below another, as a list of one; empty if it does not exist. */
export const below = ({ schema, at }: SchemaPart, ...steps: readonly string[]): SchemaPart[] => {
  const found = steps.reduce(ownMember, schema);
  return found === undefined ? [] : [{ schema: found, at: at && at + pointerTo(...steps) }];
};

/** The values of a keyword in all parts that have it. */
export const keywordIn = (parts: readonly SchemaPart[], keyword: string): unknown[] =>
  parts.map(({ schema }) => ownMember(schema, keyword)).filter((value) => value !== undefined);

/** The items of all lists that a keyword has in these parts. */
export const listsIn = (parts: readonly SchemaPart[], keyword: string): unknown[] =>
  keywordIn(parts, keyword).flatMap((list) => (Array.isArray(list) ? list : []));

/** The keys below a keyword in all parts, without repetition. */
export const keysIn = (parts: readonly SchemaPart[], keyword: string): string[] => [
  ...new Set(keywordIn(parts, keyword).flatMap((value) => (isTree(value) ? Object.keys(value) : []))),
];

/** The largest number that a keyword has in these parts. */
export const largestIn = (parts: readonly SchemaPart[], keyword: string): number | undefined => {
  const numbers = keywordIn(parts, keyword).map(Number).filter(Number.isFinite);
  return numbers.length === 0 ? undefined : Math.max(...numbers);
};

/** The smallest number that a keyword has in these parts. */
export const smallestIn = (parts: readonly SchemaPart[], keyword: string): number | undefined => {
  const numbers = keywordIn(parts, keyword).map(Number).filter(Number.isFinite);
  return numbers.length === 0 ? undefined : Math.min(...numbers);
};

/** Keywords that imply a type where a schema has no `type`. */
const IMPLIED: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties']],
  ['array', ['items', 'prefixItems', 'contains', 'minItems']],
  ['string', ['pattern', 'minLength', 'maxLength', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** The types that all parts allow, null last. `undefined` if none of them says anything about types. */
export const typesIn = (parts: readonly SchemaPart[]): readonly string[] | undefined => {
  const declared = keywordIn(parts, 'type').map((type) => [type].flat().map(String));
  if (declared.length === 0) {
    const implied = IMPLIED.filter(([, keywords]) =>
      keywords.some((each) => keywordIn(parts, each).length > 0),
    );
    return implied.length === 0 ? undefined : implied.map(([type]) => type);
  }
  const allows = (types: readonly string[], type: string): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  const all = [...new Set(declared.flat())].filter((type) => declared.every((types) => allows(types, type)));
  const isNarrower = (type: string): boolean =>
    type === 'number' && all.includes('integer') && declared.length > 1;
  return all
    .filter((type) => type !== 'null' && !isNarrower(type))
    .concat(all.includes('null') ? ['null'] : []);
};

/** The parts, the targets of their references, and their `allOf`. */
const gather = (document: unknown, parts: readonly SchemaPart[]): SchemaPart[] => {
  const seen = new Set<string>();
  return parts.flatMap((part) =>
    part.at === undefined
      ? [part]
      : placesOf(document, part.at, ['allOf'], seen).map((at) => partAt(document, at)),
  );
};

/** A choice between several lists of parts. */
interface Choice {
  readonly name: string;
  readonly options: readonly (readonly SchemaPart[])[];
}

/** A schema that requires a member to have a value. */
const demand = (property: string, value: string): SchemaPart => ({
  schema: { properties: { [property]: { const: value } }, required: [property] },
  at: undefined,
});

/**
 * The subtypes of a base, each with the member that names it; at last the base alone. A subtype itself has no choice.
 */
const subtypesIn = (document: unknown, part: SchemaPart, whole: readonly SchemaPart[]): Choice[] => {
  const { property, named } = (part.at !== undefined && subtypesAt(document, part.at)) || {};
  if (property === undefined || !named) return [];
  const isChosen = (at: string): boolean => whole.some((each) => each.at === at);
  const all = [...named].filter(([, subtypes]) => subtypes.length > 0);
  const chosen = all.filter(([, subtypes]) => subtypes.some(isChosen));
  const options = (chosen.length > 0 ? chosen : all).map(([tag, subtypes]) => [
    demand(property, tag),
    ...subtypes.map((at) => partAt(document, at)),
  ]);
  return [{ name: `${part.at} discriminator`, options: [...options, []] }];
};

/** The branches of a union, each with the member that a discriminator demands for it. */
const unionIn = (document: unknown, part: SchemaPart, keyword: 'oneOf' | 'anyOf'): Choice[] => {
  const branches = listsIn([part], keyword).flatMap((_, index) => below(part, keyword, `${index}`));
  if (branches.length === 0) return [];
  const named = part.at === undefined ? undefined : discriminatedAt(document, part.at);
  const demandOf = (branch: SchemaPart): SchemaPart[] => {
    const [tag] = [...(named?.branches ?? [])].find(([, at]) => at === branch.at) ?? [];
    return named && tag !== undefined ? [demand(named.property, tag)] : [];
  };
  const options = branches.map((branch) => [...demandOf(branch), branch]);
  return [{ name: `${part.at} ${keyword}`, options }];
};

const choicesIn = (document: unknown, part: SchemaPart, whole: readonly SchemaPart[]): Choice[] => [
  ...unionIn(document, part, 'oneOf'),
  ...unionIn(document, part, 'anyOf'),
  ...subtypesIn(document, part, whole),
];

/** Whether a schema has values without members or items. */
const isScalar = (parts: readonly SchemaPart[]): boolean =>
  keywordIn(parts, 'const').length + keywordIn(parts, 'enum').length > 0 ||
  keywordIn(parts, 'type').some((type) =>
    [type].flat().every((each) => each !== 'object' && each !== 'array'),
  );

/**
 * The ways to fit all of these parts: each one is a list of parts without a choice. `endsSoon` puts the branches first
 * that cannot go deeper.
 */
export function* waysOf(
  document: unknown,
  parts: readonly SchemaPart[],
  endsSoon: boolean,
  decided: ReadonlySet<string> = new Set(),
): Generator<readonly SchemaPart[]> {
  const whole = gather(document, parts);
  const choice = whole
    .flatMap((part) => choicesIn(document, part, whole))
    .find(({ name }) => !decided.has(name));
  if (!choice) {
    if (whole.every(({ schema }) => schema !== false)) yield whole;
    return;
  }
  const leaves = (option: readonly SchemaPart[]): boolean =>
    option.length === 0 || isScalar(gather(document, option));
  const options = endsSoon
    ? [...choice.options.filter(leaves), ...choice.options.filter((option) => !leaves(option))]
    : choice.options;
  const next = new Set([...decided, choice.name]);
  for (const option of options) yield* waysOf(document, [...parts, ...option], endsSoon, next);
}

/** Below this depth only required members are made, so that a recursive schema ends. */
export const DEEP = 3;

/** Below this depth nothing is made: a schema that requires itself has no value at all. */
export const TOO_DEEP = 16;

/**
 * How many other values of a member, or of the last item, are tried: fewer the deeper it is, since all are combined.
 */
export const variantsAt = (depth: number): number => (depth === 0 ? 60 : 6);

/** Makes the values of members and items. */
export interface Make {
  /** At most `count` different values that fit all of these parts. */
  readonly several: (parts: readonly SchemaPart[], depth: number, count: number) => readonly unknown[];
  /** Whether an object may lack required members. */
  readonly isPartial: boolean;
  /** Whether the schema of a member says that it is not sent this way. */
  readonly isLeftOut: (part: SchemaPart) => boolean;
}
