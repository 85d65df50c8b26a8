export { editDistance } from './values/edit-distance.ts';
export { formatText } from './values/formats.ts';
export { shellQuote } from './values/shell.ts';
export { createValues } from './values/values.ts';
