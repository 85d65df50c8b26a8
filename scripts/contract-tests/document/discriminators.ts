import { isTree, ownMember } from '../../../src/contract/json/pointer.ts';
import { type Surgery, treesIn } from './hidden-members.ts';
import type { Tree } from './sources.ts';

/** The name of a schema: a mapping may have it as a `$ref` or bare (OAS 3.1, section 4.8.25.3). */
const nameOf = (ref: string): string =>
  ref
    .split('/')
    .at(-1)
    ?.replace(/\.(?:ya?ml|json)$/, '') ?? '';

/** The values that choose a branch: what the mapping says, else the name of its schema. */
const valuesFor = (branch: unknown, mapping: unknown): string[] => {
  const ref = ownMember(branch, '$ref');
  if (typeof ref !== 'string') return [];
  const mapped = Object.entries(mapping ?? {}).flatMap(([value, target]) =>
    nameOf(String(target)) === nameOf(ref) ? [value] : [],
  );
  return mapped.length > 0 ? mapped : [nameOf(ref)];
};

/**
 * Makes plain JSON Schema of discriminators: a branch of `oneOf` or `anyOf` takes only what names it. One without a
 * union beside it, which describes the heirs of a schema, is left to what its schemas say.
 */
export const honourDiscriminators = (root: unknown, replace: Surgery['replace']): void => {
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
