export { isParameterHeader, NOT_PARAMETERS, type NotParameter } from '../http/headers.ts';
export {
  type BodyKind,
  bodyKindOf,
  coveringOf,
  covers,
  essenceOf,
  hasPositions,
  isRange,
  type MediaKind,
  mediaKindOf,
  type SequenceKind,
  sampleOf,
  sequenceKindOf,
} from '../http/media-types.ts';
export { type Style, textOf, writeForm, writePairs, writeSegment } from '../http/styles.ts';
