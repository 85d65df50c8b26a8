export type { Version } from './conditional/entity-tags.ts';
export { checkPreconditions } from './conditional/entity-tags.ts';
export {
  createMemoryStore,
  type HeldKey,
  type IdempotencyStore,
  type KeptReply,
  type MemoryStoreOptions,
} from './idempotency/store.ts';
export { type CursorValue, decodeCursor, encodeCursor } from './parameters/cursors.ts';
export { type CacheControl, cacheControl, link } from './reply/caching-fields.ts';
export { fileBody, type RangedBody, type RangedSource, rangedBody } from './reply/ranged-body.ts';
