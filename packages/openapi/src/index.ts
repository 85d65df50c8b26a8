export type { Document } from './document/document.ts';
export type { Note } from './document/note.ts';
export { allOperations, type PlacedOperation } from './document/path-item.ts';
export { type Contract, loadDocument, readContract } from './files/load.ts';
export { parseExact } from './json/exact-numbers.ts';
export { toJson } from './json/to-json.ts';
