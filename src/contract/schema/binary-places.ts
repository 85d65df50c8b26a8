import { ownMember, valueAt } from '../json/pointer.ts';
import { placesOf } from './shape.ts';

/** OAS 3.1 has `contentMediaType` for what 3.0 called `format: binary`; with a `contentEncoding` it is text again. */
const isBinary = (schema: unknown): boolean =>
  ownMember(schema, 'format') === 'binary' ||
  (ownMember(schema, 'contentMediaType') !== undefined && ownMember(schema, 'contentEncoding') === undefined);

/** Where the schema at a pointer says that its values are bytes; none if it does not. */
export const binaryPlaces = (document: unknown, pointer: string): string[] =>
  placesOf(document, pointer).filter((place) => isBinary(valueAt(document, place)));
