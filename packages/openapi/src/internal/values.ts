export { examplesAt } from '../values/examples.ts';
export { formatText } from '../values/formats.ts';
export {
  below,
  keysIn,
  keywordIn,
  partAt,
  type SchemaPart,
  smallestIn,
  typesIn,
  waysOf,
} from '../values/parts.ts';
export { withAbsoluteUrls } from '../values/references.ts';
export { shellQuote } from '../values/shell.ts';
export { createValues, take } from '../values/values.ts';
