import type { Tree } from '../../json/pointer.ts';
import type { TakeNote } from '../note.ts';

/** The keywords of OpenAPI 3.0 for bounds that are left out of their range, and those that they are about. */
const EXCLUSIVE = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

/** Annotations of a schema; they stay outside when the schema is moved into a union. */
const ANNOTATIONS = new Set([
  ...['title', 'description', 'default', 'example', 'examples', 'externalDocs'],
  ...['readOnly', 'writeOnly', 'deprecated', '$anchor', '$dynamicAnchor'],
]);

const REFERRING = ['$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf'];

/** A schema that null fits too, whatever else it says. */
const orNull = (schema: Tree): Tree => {
  const entries = Object.entries(schema);
  return {
    ...Object.fromEntries(entries.filter(([key]) => ANNOTATIONS.has(key))),
    anyOf: [Object.fromEntries(entries.filter(([key]) => !ANNOTATIONS.has(key))), { type: 'null' }],
  };
};

/**
 * Converts `nullable: true` of OAS 3.0. The specification applies it to a sibling `type` only, but authors also write
 * it beside `allOf`, or beside an enum without null, with the same intent.
 */
const withNull = ({ nullable, ...schema }: Tree): Tree => {
  if (nullable !== true) return schema;
  if (REFERRING.some((keyword) => schema[keyword] !== undefined)) return orNull(schema);
  const types = [schema.type ?? []].flat();
  return {
    ...schema,
    ...(types.length > 0 && !types.includes('null') && { type: [...types, 'null'] }),
    ...(Array.isArray(schema.enum) && !schema.enum.includes(null) && { enum: [...schema.enum, null] }),
  };
};

const withNumericBounds = (schema: Tree): Tree => {
  const made = { ...schema };
  for (const [exclusive, bound] of EXCLUSIVE) {
    if (typeof made[exclusive] !== 'boolean') continue;
    const isExclusive = made[exclusive] && made[bound] !== undefined;
    delete made[exclusive];
    if (!isExclusive) continue;
    made[exclusive] = made[bound];
    delete made[bound];
  }
  return made;
};

/** The leftovers of OAS 3.0 in a schema. */
const leftoversIn = (schema: Tree): string[] => [
  ...(typeof schema.nullable === 'boolean' ? ['nullable'] : []),
  ...EXCLUSIVE.map(([keyword]) => keyword).filter((keyword) => typeof schema[keyword] === 'boolean'),
];

/** The path items of a document: members beside their `$ref` count in every version. */
const PATH_ITEM = /^\/(?:paths|webhooks)\/[^/]+$/;

/**
 * Creates a function that converts an object of OpenAPI 3.0 to 3.1: `nullable`, boolean `exclusiveMinimum` and
 * `exclusiveMaximum`, and siblings of a `$ref`, which 3.0 ignores. `example`, `format: byte` and `format: binary` have
 * the same meaning in all versions. In a later document, keywords of 3.0 keep their 3.0 meaning, with a note.
 */
export const createUpgrade =
  (isOld: boolean, note: TakeNote) =>
  (schema: Tree, pointer: string): Tree => {
    if (isOld && typeof schema.$ref === 'string' && !PATH_ITEM.test(pointer)) return { $ref: schema.$ref };
    if (schema.type === 'file') {
      note(pointer, '`type: file` is of Swagger 2 and is read as a string of bytes; write `format: binary`');
      return createUpgrade(isOld, note)({ ...schema, type: 'string', format: 'binary' }, pointer);
    }
    const leftovers = leftoversIn(schema);
    if (leftovers.length === 0) return schema;
    if (!isOld)
      for (const keyword of leftovers)
        note(
          `${pointer}/${keyword}`,
          `\`${keyword}: ${schema[keyword]}\` is of OpenAPI 3.0 and is read as it was meant there; write it as JSON Schema 2020-12 has it`,
        );
    return withNumericBounds(withNull(schema));
  };
