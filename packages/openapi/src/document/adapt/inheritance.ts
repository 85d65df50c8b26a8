import { oncePerKey } from '../../json/once.ts';
import { isTree, ownMember, pointerTo, refOf, targetOf, valueAt } from '../../json/pointer.ts';
import { placesOf } from '../../schema/shape.ts';

/** Keywords with a list of schemas, of which one applies. */
const UNIONS = ['oneOf', 'anyOf'];

const isUnion = (schema: unknown): boolean =>
  UNIONS.some((keyword) => Array.isArray(ownMember(schema, keyword)));

/**
 * A base that lists its children in a union, while each child extends the base by `allOf` or `$ref`, applies itself to the
 * same value without end. Its author means that a child extends the members of the base, not its union; springdoc writes such documents.
 * So these children have the base without its union in place of their reference to it.
 */
export const withPlainBases = (document: Record<string, unknown>): Record<string, unknown> => {
  const components = ownMember(document, 'components');
  const schemas = ownMember(components, 'schemas');
  if (!isTree(components) || !isTree(schemas) || !Object.values(schemas).some(isUnion)) return document;
  const reached = oncePerKey((base: string) => new Set(placesOf(document, base, ['allOf', ...UNIONS])));

  const extend = (part: unknown, child: string): unknown => {
    const at = targetOf(refOf(part));
    const base = at === undefined ? undefined : valueAt(document, at);
    if (at === undefined || at === child || !isTree(part) || !isTree(base) || !isUnion(base)) return part;
    if (!reached(at).has(child)) return part;
    const { $ref: _base, ...beside } = part;
    const { oneOf, anyOf, discriminator, unevaluatedProperties, ...own } = base;
    return Object.keys(beside).length === 0 ? own : { allOf: [own, beside] };
  };

  const extended = Object.entries(schemas).map(([name, schema]) => {
    if (!isTree(schema)) return [name, schema];
    const child = pointerTo('components', 'schemas', name);
    const { allOf } = schema;
    const parts = Array.isArray(allOf)
      ? { ...schema, allOf: allOf.map((part) => extend(part, child)) }
      : schema;
    return [name, Object.keys(schema).length > 1 ? extend(parts, child) : parts];
  });
  return { ...document, components: { ...components, schemas: Object.fromEntries(extended) } };
};
