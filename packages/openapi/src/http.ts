export { isParameterHeader, NOT_PARAMETERS, type NotParameter } from './http/headers.ts';
export {
  type BodyKind,
  bodyKindOf,
  covers,
  essenceOf,
  hasPositions,
  type MediaKind,
  mediaKindOf,
  type SequenceKind,
  sequenceKindOf,
} from './http/media-types.ts';
export { type Style, textOf, writeForm, writePairs, writeSegment } from './http/styles.ts';
