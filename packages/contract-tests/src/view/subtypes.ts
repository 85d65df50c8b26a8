import { isTree, pointerTo, type Tree, valueAt } from '@trellis/openapi/internal/json';
import { subtypesAt } from '@trellis/openapi/internal/schema';
import type { SchemaEditor } from './plain-schemas.ts';

/** A base: a schema with a discriminator, without a union, which other components extend. */
interface Base {
  readonly schema: Tree;
  readonly property: string;
  /** Its keywords without the discriminator. */
  readonly plain: Tree;
  readonly subtypes: readonly { readonly schema: Tree; readonly values: readonly string[] }[];
}

/** Finds the base at a pointer. `given` is the contract, and `document` the copy that is rewritten. */
const findBase = (
  given: unknown,
  document: unknown,
  pointer: string,
  { inPlaceOf }: SchemaEditor,
): Base[] => {
  const schema = valueAt(document, pointer);
  const found = subtypesAt(given, pointer);
  if (!isTree(schema) || !found) return [];
  const subtypes = found.all.flatMap((at) => {
    const subtype = valueAt(document, at);
    const values = [...found.named].flatMap(([value, places]) => (places.includes(at) ? [value] : []));
    return isTree(subtype) && values.length > 0 ? [{ schema: subtype, values }] : [];
  });
  return [{ schema, property: found.property, plain: inPlaceOf(schema, {}), subtypes }];
};

/** Replaces each reference to a base by its plain form. */
const extendPlain = (schema: unknown, bases: readonly Base[], resolve: SchemaEditor['resolve']): void => {
  if (!isTree(schema)) return;
  const parts = Array.isArray(schema.allOf) ? schema.allOf : [];
  for (const part of parts) extendPlain(part, bases, resolve);
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref) : undefined;
  const base = bases.find((each) => each.schema === target);
  if (!base) return;
  delete schema.$ref;
  schema.allOf = [base.plain, ...parts];
};

/**
 * Rewrites bases as plain JSON Schema, in place: a value that names a subtype must match that subtype. OpenAPI
 * does not require this, so generated values follow it, and judged values need not.
 */
export const honourSubtypes = (given: unknown, document: unknown, editor: SchemaEditor): void => {
  const components = pointerTo('components', 'schemas');
  const names = Object.keys(Object(valueAt(document, components)));
  const bases = names.flatMap((name) => findBase(given, document, components + pointerTo(name), editor));
  for (const { subtypes } of bases)
    for (const { schema } of subtypes) extendPlain(schema, bases, editor.resolve);
  for (const { schema, property, plain, subtypes } of bases) {
    const { discriminator, ...own } = schema;
    Object.assign(plain, own);
    for (const key of Object.keys(schema)) delete schema[key];
    const naming = (member: object, required: readonly string[]): Tree => ({
      required,
      properties: { [property]: member },
    });
    schema.anyOf = [
      ...subtypes.map(({ schema: subtype, values }) => ({
        allOf: [subtype, naming({ enum: values }, [property])],
      })),
      { allOf: [plain, naming({ not: { enum: subtypes.flatMap(({ values }) => values) } }, [])] },
    ];
  }
};
