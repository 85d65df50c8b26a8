export {
  type Direction,
  isLeftOut,
  isPlain,
  leavesOut,
  leftOutOf,
  otherBranches,
} from '../schema/access.ts';
export {
  type Discriminated,
  discriminatedAt,
  discriminatingSchema,
  subtypesAt,
} from '../schema/discriminator.ts';
export { AJV_PATTERNS, compilePattern } from '../schema/pattern.ts';
export {
  BRANCHES,
  binaryPlaces,
  defaultOf,
  itemsKindAt,
  memberAt,
  membersAt,
  membersOf,
  placesOf,
  throughRefs,
  typesOf,
} from '../schema/shape.ts';
export type { Subtypes } from '../schema/subtypes.ts';
