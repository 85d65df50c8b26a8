import { withPointers } from '@trellis/openapi/internal/document';

/** A complete document in memory, as if it was read from a file. */
export const sourcesOf = (document: object) => ({
  document: withPointers(document),
  originOf: (pointer: string) => ({ url: '', pointer }),
  texts: new Map<string, string>(),
  leftOut: [],
});
