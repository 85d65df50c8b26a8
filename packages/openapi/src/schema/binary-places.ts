import { ownMember, valueAt } from '../json/pointer.ts';
import { placesOf } from './shape.ts';

/** OAS 3.1 says `contentMediaType` for the `format: binary` of 3.0; with a `contentEncoding` it is text. */
const isBinary = (schema: unknown): boolean =>
  ownMember(schema, 'format') === 'binary' ||
  (ownMember(schema, 'contentMediaType') !== undefined && ownMember(schema, 'contentEncoding') === undefined);

/** Where the schema at a pointer says that its values are bytes; nowhere if they are not. */
export const binaryPlaces = (document: unknown, pointer: string): string[] =>
  placesOf(document, pointer).filter((place) => isBinary(valueAt(document, place)));
