export { isParameterHeader, NOT_PARAMETERS, type NotParameter } from './http/headers.ts';
export {
  type BodyKind,
  bodyKindOf,
  covers,
  essenceOf,
  type MediaKind,
  mediaKindOf,
} from './http/media-types.ts';
