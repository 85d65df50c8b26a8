import { withPointers } from '@trellis/openapi/internal/document';
import type { Sources } from '../src/document/sources.ts';

/** A complete document in memory, as if it was read from a file. */
export const sourcesOf = (document: object): Sources => ({
  document: withPointers(document),
  originOf: (pointer) => ({ url: '', pointer }),
  texts: new Map(),
  leftOut: [],
});
