import { oncePerKey } from '../json/once.ts';
import { ownMember, pointerTo, refAt, valueAt } from '../json/pointer.ts';
import { throughRefs, typesOf } from './shape.ts';
import { commonConstants, mappingOf, type Subtypes, subtypesOf } from './subtypes.ts';

/** A union in which a member names the branch (OAS 3.1, section 4.8.25). */
export interface Discriminated {
  readonly property: string;
  readonly keyword: 'oneOf' | 'anyOf';
  /** The pointer of the branch for each value of that member. */
  readonly branches: ReadonlyMap<string, string>;
  /** The branches for values without members, such as null. */
  readonly others: readonly string[];
}

/**
 * Finds which value of the discriminator names which branch of the union at a pointer: by the mapping, else by the
 * constants of the branch, else by the name of its schema. What names a subtype of a branch names the branch, too.
 * `undefined` if there is no discriminator, or if a branch has no name: then the union is like any other. A
 * discriminator without a union is about subtypes; see `subtypesAt`.
 */
export const discriminatedAt = (document: unknown, pointer: string): Discriminated | undefined => {
  const schema = valueAt(document, pointer);
  const discriminator = ownMember(schema, 'discriminator');
  const property = ownMember(discriminator, 'propertyName');
  const keyword = Array.isArray(ownMember(schema, 'oneOf')) ? 'oneOf' : 'anyOf';
  const union = ownMember(schema, keyword);
  if (typeof property !== 'string' || !Array.isArray(union)) return undefined;

  const mapping = mappingOf(document, schema);
  const branchesAt = [...union.keys()].map((index) => pointer + pointerTo(keyword, `${index}`));
  const constantsOf = oncePerKey((branch: string) => commonConstants(document, branch, property));
  const targetOf = (branch: string): string => throughRefs(document, refAt(document, branch) ?? branch);
  const valuesOf = (branch: string): string[] => {
    const mapped = mapping.filter(([, to]) => to === targetOf(branch)).map(([value]) => value);
    if (mapped.length > 0) return mapped;
    const constants = constantsOf(branch);
    const name = refAt(document, branch)?.split('/').at(-1);
    if (name === undefined || (constants.length > 0 && !constants.includes(name))) return constants;
    const isShared = (value: string): boolean =>
      branchesAt.some((other) => other !== branch && constantsOf(other).includes(value));
    return constants.some(isShared) || constants.length === 0 ? [name] : constants; // a base may list all names
  };

  /** The values that name a subtype of a branch. */
  const subtypeNamesOf = (branch: string): string[] => {
    const subtypes = subtypesOf(document, targetOf(branch));
    return subtypes?.property === property ? [...subtypes.named.keys()] : [];
  };

  const branches = new Map<string, string>();
  const others: string[] = [];
  for (const branch of branchesAt) {
    const types = typesOf(document, branch);
    if (types.size > 0 && !types.has('object')) others.push(branch);
    else {
      const values = valuesOf(branch);
      if (values.length === 0 || values.some((value) => branches.has(value))) return undefined;
      for (const value of values) branches.set(value, branch);
    }
  }
  for (const branch of [...branches.values()])
    for (const value of subtypeNamesOf(branch)) if (!branches.has(value)) branches.set(value, branch);
  return branches.size === 0 ? undefined : { property, keyword, branches, others };
};

/**
 * Finds the subtypes of the schema at a pointer: those that its mapping names, and the components that extend it. A
 * subtype is named by the mapping, else by its own constants, else by the name of its component. `undefined` if the
 * schema has no discriminator, no subtypes, or a union that the discriminator is about.
 */
export const subtypesAt = (document: unknown, pointer: string): Subtypes | undefined => {
  const subtypes = subtypesOf(document, pointer);
  return subtypes && !discriminatedAt(document, pointer) ? subtypes : undefined;
};

/** A conditional schema. */
const when = (question: object, yes: object, no: object = {}): object => ({
  if: question,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: yes,
  else: no,
});

/**
 * A union with a discriminator in plain JSON Schema: only the branch that is named validates a value. `refer` makes a
 * reference to it.
 */
export const discriminatingSchema = (
  { property, keyword, branches, others }: Discriminated,
  refer: (pointer: string) => object,
): object => {
  const chosen = {
    type: 'object',
    required: [property],
    properties: { [property]: { enum: [...branches.keys()] } },
    allOf: [...branches].map(([value, branch]) =>
      when({ required: [property], properties: { [property]: { const: value } } }, refer(branch)),
    ),
  };
  const [other, ...more] = others.map(refer);
  if (!other) return chosen;
  return when({ type: 'object' }, chosen, more.length === 0 ? other : { [keyword]: [other, ...more] });
};
