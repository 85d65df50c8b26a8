import { type SequenceKind, sequenceKindOf } from '../http/media-types.ts';
import { typesOf } from './shape.ts';

/** How the items of a request body stand in it, if its schema says that it is a list of JSON values; else `undefined`. */
export const itemsKindAt = (
  document: unknown,
  mediaType: string,
  schemaAt: string,
): Exclude<SequenceKind, 'events'> | undefined => {
  const kind = sequenceKindOf(mediaType);
  const types = typesOf(document, schemaAt);
  return kind !== 'events' && types.size === 1 && types.has('array') ? kind : undefined;
};
