import { hasPositions, type SequenceKind, sequenceKindOf } from '../http/media-types.ts';
import { typesOf } from './shape.ts';

/** How the items of a body are encoded, if its schema declares a list: JSON values, or parts; else `undefined`. */
export const itemsKindAt = (
  document: unknown,
  mediaType: string,
  schemaAt: string,
): Exclude<SequenceKind, 'events'> | 'parts' | undefined => {
  const kind = hasPositions(mediaType) ? 'parts' : sequenceKindOf(mediaType);
  const types = typesOf(document, schemaAt);
  return kind !== 'events' && types.size === 1 && types.has('array') ? kind : undefined;
};
