import { isTree, ownMember } from '../../json/pointer.ts';
import { rewriteSchemas } from '../rewrite.ts';
import type { TakeNote } from './note.ts';

/** The pointer of a media type, in a request, a reply or a parameter. */
const MEDIA_TYPE = /\/content\/[^/]+$/;

/** What a media type of OpenAPI 3.2 may have and is not served. */
const NOT_SERVED = ['itemSchema', 'itemEncoding', 'prefixEncoding'];

/** Notes what a document of OpenAPI 3.2 says about bodies that is not served. */
export const noteNewer = (document: unknown, note: TakeNote): void => {
  rewriteSchemas(document, (copy, pointer) => {
    if (isTree(copy.discriminator) && ownMember(copy.discriminator, 'defaultMapping') !== undefined)
      note(
        `${pointer}/discriminator/defaultMapping`,
        '`defaultMapping` of OpenAPI 3.2 is not served, and ignored; list every value under `mapping`',
      );
    if (!MEDIA_TYPE.test(pointer)) return copy;
    for (const key of NOT_SERVED.filter((name) => copy[name] !== undefined))
      note(
        `${pointer}/${key}`,
        `\`${key}\` of OpenAPI 3.2 is not served: the body is taken as a whole, and its items are not checked`,
      );
    return copy;
  });
};

/** Whether a document is of OpenAPI 3.2. */
export const isNewer = (document: unknown): boolean =>
  isTree(document) && /^3\.2\b/.test(`${document.openapi}`);
