export { shellQuote } from './values/shell.ts';
export { createValues } from './values/values.ts';
