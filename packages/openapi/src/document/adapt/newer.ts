import { sequenceKindOf } from '../../http/media-types.ts';
import { ownMember, pointerSteps, type Tree } from '../../json/pointer.ts';
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
  sequenceKindOf(mediaTypeAt(pointer)) !== undefined;

/** Writes the `itemSchema` of a sequence (OAS 3.2, section 4.14.2) as the schema of the whole, which is a list. */
export const withItemsInSchema = (content: Tree, pointer: string): Tree => {
  if (!MEDIA_TYPE.test(pointer) || !hasServedItems(content, pointer)) return content;
  const { itemSchema, ...rest } = content;
  return { ...rest, schema: { type: 'array', items: itemSchema } };
};

/** Notes what an object of OpenAPI 3.2 says about bodies that is not served. */
export const noteNewer = (object: Tree, pointer: string, note: TakeNote): void => {
  if (ownMember(object.discriminator, 'defaultMapping') !== undefined)
    note(
      `${pointer}/discriminator/defaultMapping`,
      '`defaultMapping` of OpenAPI 3.2 is not served, and ignored; list every value under `mapping`',
    );
  const served = hasServedItems(object, pointer) ? ['itemSchema'] : [];
  for (const key of MEDIA_TYPE.test(pointer) ? NOT_SERVED : [])
    if (object[key] !== undefined && !served.includes(key))
      note(
        `${pointer}/${key}`,
        `\`${key}\` of OpenAPI 3.2 is not served: the body is taken as a whole, and its items are not checked`,
      );
};
