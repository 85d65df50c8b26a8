export {
  type Direction,
  isLeftOut,
  isPlain,
  leavesOut,
  leftOutOf,
  otherBranches,
  throughRefs,
} from './schema/access.ts';
export { binaryPlaces } from './schema/binary-places.ts';
export { type Discriminated, discriminatedAt, discriminatingSchema } from './schema/discriminator.ts';
export { itemsKindAt } from './schema/items-kind.ts';
export { AJV_PATTERNS, compilePattern } from './schema/pattern.ts';
export { BRANCHES, defaultOf, memberAt, membersAt, membersOf, placesOf, typesOf } from './schema/shape.ts';
