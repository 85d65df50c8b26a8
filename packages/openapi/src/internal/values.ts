export * from '../values/examples.ts';
export { formatText } from '../values/formats.ts';
export { keywordIn } from '../values/parts.ts';
export { shellQuote } from '../values/shell.ts';
export { createValues } from '../values/values.ts';
