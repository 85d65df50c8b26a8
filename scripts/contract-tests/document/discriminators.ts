import { isTree, ownMember } from '../../../src/contract/json/pointer.ts';
import { type SchemaEditor, treesIn } from './hidden-members.ts';
import type { Tree } from './sources.ts';

/** The name of a schema, which a mapping writes as a `$ref` or bare (OAS 3.1, section 4.8.25.3). */
const nameOf = (ref: string): string =>
  ref
    .split('/')
    .at(-1)
    ?.replace(/\.(?:ya?ml|json)$/, '') ?? '';

/** The values that select a branch: those of the mapping, or else the name of its schema. */
const valuesFor = (branch: unknown, mapping: unknown): string[] => {
  const ref = ownMember(branch, '$ref');
  if (typeof ref !== 'string') return [];
  const mapped = Object.entries(mapping ?? {}).flatMap(([value, target]) =>
    nameOf(String(target)) === nameOf(ref) ? [value] : [],
  );
  return mapped.length > 0 ? mapped : [nameOf(ref)];
};

/**
 * Turns discriminators into plain JSON Schema: a branch of `oneOf` or `anyOf` accepts only values that name it. A
 * discriminator without a union, which describes subtypes, is left as it is.
 */
export const honourDiscriminators = (root: unknown, replace: SchemaEditor['replace']): void => {
  const unions = [...treesIn(root)].flatMap(({ discriminator, oneOf, anyOf }) => {
    const property = ownMember(discriminator, 'propertyName');
    const union = oneOf ?? anyOf;
    return typeof property === 'string' && isTree(union) ? [{ discriminator, property, union }] : [];
  });
  for (const { discriminator, property, union } of unions)
    for (const [index, branch] of Object.entries(union)) {
      const values = valuesFor(branch, ownMember(discriminator, 'mapping'));
      const named: Tree = { required: [property], properties: { [property]: { enum: values } } };
      if (values.length > 0) replace(union, index, { allOf: [branch, named] });
    }
};
