import { followRefs, isTree, ownMember, valueAt } from '../../json/pointer.ts';
import { rewriteSchemas } from '../rewrite.ts';
import type { TakeNote } from './note.ts';

/** The pointer of a media type, in a request, a reply or a parameter. */
const MEDIA_TYPE = /\/content\/[^/]+$/;

/** What a media type of OpenAPI 3.2 may have and is not served. */
const NOT_SERVED = ['itemSchema', 'itemEncoding', 'prefixEncoding'];

/**
 * Makes of a document of OpenAPI 3.2 one of 3.1, as far as bodies go: media types are in their places, and what says
 * something new about them is noted.
 */
export const downgradeBodies = (document: unknown, note: TakeNote): unknown =>
  rewriteSchemas(document, (copy, pointer) => {
    if (isTree(copy.discriminator) && ownMember(copy.discriminator, 'defaultMapping') !== undefined)
      note(
        `${pointer}/discriminator/defaultMapping`,
        '`defaultMapping` of OpenAPI 3.2 is not served, and ignored; list every value under `mapping`',
      );
    if (!MEDIA_TYPE.test(pointer)) return copy;
    const target = copy.$ref === undefined ? copy : valueAt(document, followRefs(document, pointer));
    if (!isTree(target)) return copy;
    for (const key of NOT_SERVED.filter((name) => target[name] !== undefined))
      note(
        `${pointer}/${key}`,
        `\`${key}\` of OpenAPI 3.2 is not served: the body is taken as a whole, and its items are not checked`,
      );
    return { ...target };
  });

/** Whether a document is of OpenAPI 3.2. */
export const isNewer = (document: unknown): boolean =>
  isTree(document) && /^3\.2\b/.test(`${document.openapi}`);
