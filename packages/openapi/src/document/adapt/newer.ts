import { ownMember, type Tree } from '../../json/pointer.ts';
import type { TakeNote } from './note.ts';

/** The pointer of a media type, in a request, a reply or a parameter. */
const MEDIA_TYPE = /\/content\/[^/]+$/;

/** What a media type of OpenAPI 3.2 may have and is not served. */
const NOT_SERVED = ['itemSchema', 'itemEncoding', 'prefixEncoding'];

/** Notes what an object of OpenAPI 3.2 says about bodies that is not served. */
export const noteNewer = (object: Tree, pointer: string, note: TakeNote): void => {
  if (ownMember(object.discriminator, 'defaultMapping') !== undefined)
    note(
      `${pointer}/discriminator/defaultMapping`,
      '`defaultMapping` of OpenAPI 3.2 is not served, and ignored; list every value under `mapping`',
    );
  for (const key of MEDIA_TYPE.test(pointer) ? NOT_SERVED : [])
    if (object[key] !== undefined)
      note(
        `${pointer}/${key}`,
        `\`${key}\` of OpenAPI 3.2 is not served: the body is taken as a whole, and its items are not checked`,
      );
};
