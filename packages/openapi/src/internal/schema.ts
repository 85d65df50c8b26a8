export {
  type Direction,
  isLeftOut,
  isPlain,
  leavesOut,
  leftOutOf,
  otherBranches,
} from '../schema/access.ts';
export { binaryPlaces } from '../schema/binary-places.ts';
export {
  type Discriminated,
  discriminatedAt,
  discriminatingSchema,
  subtypesAt,
} from '../schema/discriminator.ts';
export { itemsKindAt } from '../schema/items-kind.ts';
export { AJV_PATTERNS, compilePattern } from '../schema/pattern.ts';
export {
  BRANCHES,
  defaultOf,
  memberAt,
  membersAt,
  membersOf,
  placesOf,
  throughRefs,
  typesOf,
} from '../schema/shape.ts';
export type { Subtypes } from '../schema/subtypes.ts';
