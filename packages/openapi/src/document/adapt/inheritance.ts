import { oncePerKey } from '../../json/once.ts';
import {
  isTree,
  ownMember,
  pointerSteps,
  pointerTo,
  refOf,
  targetOf,
  uriFragment,
} from '../../json/pointer.ts';
import { placesOf } from '../../schema/shape.ts';

/** Keywords with a list of schemas, of which one applies. */
const UNIONS = ['oneOf', 'anyOf'];

const listAt = (schema: unknown, keyword: string): readonly unknown[] => {
  const list = ownMember(schema, keyword);
  return Array.isArray(list) ? list : [];
};

const isUnion = (schema: unknown): boolean => UNIONS.some((keyword) => listAt(schema, keyword).length > 0);

/** The name of the component that a schema is a reference to; `undefined` if it is no such reference. */
const componentOf = (schema: unknown): string | undefined => {
  const [first, second, name, ...deeper] = pointerSteps(targetOf(refOf(schema)) ?? '');
  return first === 'components' && second === 'schemas' && deeper.length === 0 ? name : undefined;
};

/** The name of a base without its union: the first that is free. */
const baseNameOf = (name: string, taken: object): string => {
  let free = `${name}Base`;
  while (Object.hasOwn(taken, free)) free += '_';
  return free;
};

/**
 * A base that lists its children in a union, while each child extends the base by `allOf`, applies itself to the same value
 * without end. Its author means that a child extends the members of the base, not its union; springdoc writes such documents.
 * So the children of `Pet` refer to a new component `PetBase`, which is `Pet` without its union.
 */
export const withPlainBases = (document: Record<string, unknown>): Record<string, unknown> => {
  const components = ownMember(document, 'components');
  const schemas = ownMember(components, 'schemas');
  if (!isTree(components) || !isTree(schemas) || !Object.values(schemas).some(isUnion)) return document;
  const pointerOf = (name: string): string => pointerTo('components', 'schemas', name);
  const reached = oncePerKey(
    (name: string) => new Set(placesOf(document, pointerOf(name), ['allOf', ...UNIONS])),
  );
  const bases: Record<string, unknown> = {};
  const extended = Object.entries(schemas).map(([child, schema]) => {
    const extend = (part: unknown): unknown => {
      const name = componentOf(part);
      const base = name === undefined ? undefined : ownMember(schemas, name);
      if (name === undefined || name === child || !isTree(base) || !isUnion(base)) return part;
      if (!reached(name).has(pointerOf(child))) return part;
      const { oneOf, anyOf, discriminator, unevaluatedProperties, ...own } = base;
      const baseName = baseNameOf(name, schemas);
      bases[baseName] = own;
      return { ...(isTree(part) && part), $ref: uriFragment(pointerOf(baseName)) };
    };
    const allOf = listAt(schema, 'allOf');
    return [child, isTree(schema) && allOf.length > 0 ? { ...schema, allOf: allOf.map(extend) } : schema];
  });
  if (Object.keys(bases).length === 0) return document;
  const made = { ...Object.fromEntries(extended), ...bases };
  return { ...document, components: { ...components, schemas: made } };
};
