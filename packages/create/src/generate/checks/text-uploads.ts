/** Finds files in forms that the contract declares as texts. */
import { allOperations } from '@trellis/openapi/internal/document';
import { mediaKindOf } from '@trellis/openapi/internal/http';
import { followRefs, ownMember, pointerTo, valueAt } from '@trellis/openapi/internal/json';
import { memberAt, membersOf, placesOf, typesOf } from '@trellis/openapi/internal/schema';
import type { Fault } from './complaints.ts';

/** The last word of names that files have: `file`, `profile_image`, `coverPhotos`, not `profile`. */
const NAME =
  /(?:^|[^A-Za-z])(?:file|image|photo|picture|avatar|attachment|upload)s?$|[a-z](?:File|Image|Photo|Picture|Avatar|Attachment|Upload)s?$/;

const MESSAGE =
  'seems to be a file, but its schema is a text: the handler gets a text, or bytes if the file is not UTF-8; write `format: binary`';

/** Whether a schema says no more of a value than that it is a text. */
const isAnyText = (document: unknown, at: string): boolean =>
  [...typesOf(document, at)].join() === 'string' &&
  placesOf(document, at).every((place) =>
    ['format', 'contentMediaType', 'contentEncoding', 'enum', 'const', 'pattern'].every(
      (keyword) => ownMember(valueAt(document, place), keyword) === undefined,
    ),
  );

/** The members of multipart forms that seem to be files, by their names or media types, and are declared as texts. */
export const findTextUploads = (document: unknown): (Fault & { readonly subject: string })[] => {
  const faults = new Map<string, Fault & { readonly subject: string }>();
  const judge = (contentAt: string): void => {
    const schemaAt = contentAt + pointerTo('schema');
    const encodings = ownMember(valueAt(document, contentAt), 'encoding');
    for (const name of membersOf(document, schemaAt)) {
      const at = memberAt(document, schemaAt, 'properties', name) ?? '';
      const itemAt = memberAt(document, at, 'items') ?? at;
      const mediaType = ownMember(ownMember(encodings, name), 'contentType');
      const isFile =
        NAME.test(name) || (typeof mediaType === 'string' && mediaKindOf(mediaType) === 'binary');
      if (isFile && isAnyText(document, itemAt))
        faults.set(at, { pointer: at, subject: `\`${name}\``, message: MESSAGE });
    }
  };
  for (const { itemAt, method } of allOperations(document)) {
    const contentsAt = followRefs(document, itemAt + pointerTo(method, 'requestBody')) + pointerTo('content');
    for (const mediaType of Object.keys(valueAt(document, contentsAt) ?? {}))
      if (mediaKindOf(mediaType) === 'multipart')
        judge(followRefs(document, contentsAt + pointerTo(mediaType)));
  }
  return [...faults.values()];
};
