import { load } from 'js-yaml';
import { mediaKindOf, sequenceKindOf } from '../../http/media-types.ts';
import { followRefs, ownMember, pointerSteps, type Tree, uriFragment } from '../../json/pointer.ts';
import { discriminatedAt, mappedTo } from '../../schema/discriminator.ts';
import { EXACT_SCHEMA } from '../yaml.ts';
import type { TakeNote } from './note.ts';

/** The pointer of a media type, in a request, a reply or a parameter. */
const MEDIA_TYPE = /\/content\/[^/]+$/;

/** What a media type of OpenAPI 3.2 may have and is not served. */
const NOT_SERVED = ['itemSchema', 'itemEncoding', 'prefixEncoding'];

/** The media type that an object is the body of, by its pointer. */
const mediaTypeAt = (pointer: string): string => pointerSteps(pointer).at(-1) ?? '';

/** Whether the items of a body can be described by the `items` of its schema, as OpenAPI 3.2 says of sequences. */
const hasServedItems = (content: Tree, pointer: string): boolean =>
  content.itemSchema !== undefined &&
  content.schema === undefined &&
  sequenceKindOf(mediaTypeAt(pointer)) !== undefined &&
  !(/\/requestBod/.test(pointer) && sequenceKindOf(mediaTypeAt(pointer)) === 'events'); // nobody sends events

/** Writes the `itemSchema` of a sequence (OAS 3.2, section 4.14.2) as the schema of the whole, which is a list. */
export const withItemsInSchema = (content: Tree, pointer: string): Tree => {
  if (!MEDIA_TYPE.test(pointer) || !hasServedItems(content, pointer)) return content;
  const { itemSchema, ...rest } = content;
  return { ...rest, schema: { type: 'array', items: itemSchema } };
};

/** JSON is YAML, and its integers are exact there. */
const parseJson = (text: string): unknown => {
  try {
    return load(text, { schema: EXACT_SCHEMA });
  } catch {
    return text;
  }
};

/** The pointer of an example of a body, or of one that has a name. */
const EXAMPLE = /\/content\/([^/]+)\/examples\/[^/]+$|^\/components\/examples\/[^/]+$/;

/** Writes the `dataValue` of an example (OAS 3.2, section 4.19), or its `serializedValue` in a body, as its `value`. */
export const withExampleValue = (example: Tree, pointer: string): Tree => {
  const { dataValue, serializedValue, ...rest } = example;
  if (rest.value !== undefined || !/\/examples\/[^/]+$/.test(pointer)) return example;
  if (dataValue !== undefined) return { ...rest, value: dataValue };
  const place = EXAMPLE.exec(pointer);
  if (typeof serializedValue !== 'string' || !place) return example;
  const isText = place[1] !== undefined && mediaKindOf(mediaTypeAt(`/${place[1]}`)) !== 'json';
  return { ...rest, value: isText ? serializedValue : parseJson(serializedValue) };
};

/**
 * A union whose discriminator has a `defaultMapping` (OAS 3.2, section 4.26), in plain JSON Schema: a value that names no
 * other branch is one of the default. Without a union the discriminator says nothing about values.
 */
export const withDefaultBranch = (document: unknown, schema: Tree, pointer: string): Tree => {
  const { discriminator, ...rest } = schema;
  const wanted = ownMember(discriminator, 'defaultMapping');
  if (typeof wanted !== 'string') return schema;
  const union = discriminatedAt(document, pointer);
  if (!union) return rest;
  const { property, keyword, branches, others } = union;
  const target = mappedTo(document, wanted);
  const branchAt = (at: string): unknown => Object(schema[keyword])[pointerSteps(at).at(-1) ?? ''];
  const named = [...new Set(branches.values())]
    .filter((at) => followRefs(document, at) !== target)
    .map((at) => ({ at, values: [...branches].flatMap(([value, to]) => (to === at ? [value] : [])) }));
  const not = { enum: named.flatMap(({ values }) => values) };
  return {
    ...rest,
    [keyword]: [
      ...named.map(({ at, values }) => ({
        allOf: [branchAt(at), { required: [property], properties: { [property]: { enum: values } } }],
      })),
      { allOf: [{ $ref: uriFragment(target) }, { properties: { [property]: { not } } }] },
      ...others.map(branchAt),
    ],
  };
};

/** Notes what an object of OpenAPI 3.2 says about bodies that is not served. */
export const noteNewer = (object: Tree, pointer: string, note: TakeNote): void => {
  const served = hasServedItems(object, pointer) ? ['itemSchema'] : [];
  for (const key of MEDIA_TYPE.test(pointer) ? NOT_SERVED : [])
    if (object[key] !== undefined && !served.includes(key))
      note(
        `${pointer}/${key}`,
        `\`${key}\` of OpenAPI 3.2 is not served: the body is taken as a whole, and its items are not checked`,
      );
};
