import { hasPositions, sequenceKindOf } from '../../http/media-types.ts';
import { followRefs, isTree, ownMember, pointerSteps, type Tree, uriFragment } from '../../json/pointer.ts';
import { discriminatedAt } from '../../schema/discriminator.ts';
import { mappedTo } from '../../schema/subtypes.ts';
import type { TakeNote } from '../note.ts';

/** The pointer of a media type, in a request, a reply or a parameter. */
const MEDIA_TYPE = /\/content\/[^/]+$/;

/** The pointer of how a part is encoded, in a media type. */
const ENCODING = /\/content\/[^/]+\/(?:encoding\/[^/]+|prefixEncoding\/\d+|itemEncoding)$/;

/** What OpenAPI 3.2 says of the items of a body. */
const ENCODINGS = ['itemEncoding', 'prefixEncoding'];
const OF_ITEMS = ['itemSchema', ...ENCODINGS];

/** The media type that an object is the body of, by its pointer. */
const mediaTypeAt = (pointer: string): string => pointerSteps(pointer).at(-1) ?? '';

/** Whether a schema describes a list, and says nothing of its items. */
const isOpenList = (schema: unknown): boolean =>
  isTree(schema) && schema.type === 'array' && !['items', 'prefixItems', '$ref'].some((key) => key in schema);

/**
 * What OpenAPI 3.2 says of the items of a body that is served: its media type is a sequence, or of parts by position.
 */
const servedOf = (content: Tree, pointer: string): string[] => {
  if (!MEDIA_TYPE.test(pointer)) return [];
  const { schema } = content;
  const ofWhole = schema === undefined || isOpenList(schema) ? ['itemSchema'] : [];
  if (hasPositions(mediaTypeAt(pointer))) {
    const isList = isTree(schema) && (schema.type === undefined || schema.type === 'array');
    return schema === undefined || isList ? [...ofWhole, ...ENCODINGS] : [];
  }
  const sequence = sequenceKindOf(mediaTypeAt(pointer));
  const isSent = sequence === 'events' && /\/requestBod/.test(pointer); // requests never carry events
  return sequence === undefined || isSent ? [] : ofWhole;
};

/** Turns `itemSchema` (OAS 3.2, section 4.14.2) into a schema of the whole body, which is a list. */
export const withItemsInSchema = (content: Tree, pointer: string): Tree => {
  const { itemSchema, ...rest } = content;
  const given = servedOf(content, pointer).filter((key) => content[key] !== undefined);
  const hasTuple = isTree(rest.schema) && 'prefixItems' in rest.schema && hasPositions(mediaTypeAt(pointer));
  if (given.length === 0 && !(MEDIA_TYPE.test(pointer) && hasTuple)) return content;
  const hasItems = given.includes('itemSchema');
  return {
    ...(hasItems ? rest : content),
    schema: {
      type: 'array',
      ...(isTree(rest.schema) && rest.schema),
      ...(hasItems && { items: itemSchema }),
    },
  };
};

/** Writes the `dataValue` of an example (OAS 3.2, section 4.19) as its `value`. */
export const withExampleValue = (example: Tree, pointer: string): Tree => {
  const { dataValue, ...rest } = example;
  const isExample = dataValue !== undefined && /\/examples\/[^/]+$/.test(pointer);
  return isExample && rest.value === undefined ? { ...rest, value: dataValue } : example;
};

/**
 * A union whose discriminator has a `defaultMapping` (OAS 3.2, section 4.26), in plain JSON Schema: a value that names
 * no other branch goes by the default. A base without a union has no default: its values need no subtype.
 */
export const withDefaultBranch = (document: unknown, schema: Tree, pointer: string): Tree => {
  const { discriminator, ...rest } = schema;
  const wanted = ownMember(discriminator, 'defaultMapping');
  if (!isTree(discriminator) || typeof wanted !== 'string') return schema;
  const union = discriminatedAt(document, pointer);
  if (!union) return { ...rest, discriminator: { ...discriminator, defaultMapping: undefined } };
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

/** Notes the features of OpenAPI 3.2 bodies that are not served. */
export const noteNewer = (object: Tree, pointer: string, note: TakeNote): void => {
  const isPart = ENCODING.test(pointer);
  const served = servedOf(object, pointer);
  for (const key of isPart ? ['encoding', ...ENCODINGS] : MEDIA_TYPE.test(pointer) ? OF_ITEMS : [])
    if (object[key] !== undefined && !served.includes(key))
      note(
        `${pointer}/${key}`,
        `\`${key}\` of OpenAPI 3.2 is not served here: the ${isPart ? 'part' : 'body'} is checked by its schema alone`,
      );
};
