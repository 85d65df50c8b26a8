export { compareDecimals, type Decimal, isMultipleOf, parseDecimal } from '../json/decimal.ts';
export { nearestTo } from '../json/edit-distance.ts';
export { codeOf, messageOf } from '../json/error-code.ts';
export { parseExact, parseExactNumbers, tryParseExact } from '../json/exact-numbers.ts';
export {
  type ExactValue,
  fromDocument,
  identify,
  listOf,
  objectOf,
  plainValue,
  restoreFiles,
  withoutBigints,
} from '../json/exact-value.ts';
export { identityOf } from '../json/identity.ts';
export { isBigint, toInt64 } from '../json/int64.ts';
export { getOrInsert, once, oncePerKey, oncePerObject } from '../json/once.ts';
export {
  followRefs,
  holds,
  isTree,
  ownMember,
  pointerSteps,
  pointerTo,
  refAt,
  type Tree,
  targetOf,
  uriFragment,
  valueAt,
} from '../json/pointer.ts';
export {
  addPart,
  type Encode,
  type EncodeStep,
  encodeAny,
  encodeItems,
  encodeMembers,
  endDraft,
  startDraft,
  toJson,
  writeWhole,
  writtenValue,
} from '../json/to-json.ts';
export {
  firstViolations,
  listViolations,
  MOST_COUNTED,
  memberPlace,
  PERHAPS_MORE,
  placeOf,
  sentenceOf,
  type Violation,
} from '../json/violations.ts';
