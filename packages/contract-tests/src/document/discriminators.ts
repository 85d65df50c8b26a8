import { isTree, ownMember } from '@trellis/openapi/json';
import { partsIn } from './data.ts';
import { type SchemaEditor, schemasTogether } from './hidden-members.ts';
import type { Tree } from './sources.ts';

/** The keywords whose schemas are about the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf'];

/** The name of a schema, which a mapping writes as a `$ref` or bare (OAS 3.1, section 4.8.25.3). */
const nameOf = (ref: string): string =>
  ref
    .split('/')
    .at(-1)
    ?.replace(/\.(?:ya?ml|json)$/, '') ?? '';

/**
 * Turns discriminators into plain JSON Schema: a branch of `oneOf` or `anyOf` accepts only values that name it. A
 * discriminator that does not tell the branches apart is left as it is, and so is one without a union, which describes
 * subtypes.
 */
export const honourDiscriminators = (root: unknown, { resolve, replace }: SchemaEditor): void => {
  /** The constants that a branch demands of the member. */
  const constantsIn = (branch: unknown, property: string): string[] =>
    schemasTogether(resolve, branch, IN_PLACE)
      .flatMap((part) => schemasTogether(resolve, ownMember(part.properties, property), IN_PLACE))
      .flatMap((part) => [part.const ?? part.enum ?? []].flat())
      .filter((value) => typeof value === 'string');

  /** The values that select a branch: those of the mapping, else its constants, else the name of its schema. */
  const valuesFor = (branch: unknown, property: string, mapping: unknown): string[] => {
    const ref = ownMember(branch, '$ref');
    const name = typeof ref === 'string' ? nameOf(ref) : undefined;
    const mapped = Object.entries(mapping ?? {}).flatMap(([value, target]) =>
      nameOf(String(target)) === name ? [value] : [],
    );
    if (mapped.length > 0) return mapped;
    const constants = constantsIn(branch, property);
    return constants.length > 0 || name === undefined ? constants : [name];
  };

  /** Whether the values of a branch have no members, such as null. */
  const isScalar = (branch: unknown): boolean => {
    const types = schemasTogether(resolve, branch, IN_PLACE).flatMap(({ type }) => type ?? []);
    return types.length > 0 && !types.includes('object');
  };

  const unions = [...partsIn(root)].flatMap(({ discriminator, oneOf, anyOf }) => {
    const property = ownMember(discriminator, 'propertyName');
    const union = oneOf ?? anyOf;
    if (typeof property !== 'string' || !isTree(union)) return [];
    const branches = Object.entries(union)
      .filter(([, branch]) => !isScalar(branch))
      .map(([index, branch]) => ({
        index,
        branch,
        values: valuesFor(branch, property, ownMember(discriminator, 'mapping')),
      }));
    const all = branches.flatMap(({ values }) => values);
    const tellsApart = branches.every(({ values }) => values.length > 0) && new Set(all).size === all.length;
    return tellsApart ? [{ property, union, branches }] : [];
  });
  for (const { property, union, branches } of unions)
    for (const { index, branch, values } of branches) {
      const named: Tree = { required: [property], properties: { [property]: { enum: values } } };
      replace(union, index, { allOf: [branch, named] });
    }
};
