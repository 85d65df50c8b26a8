// What handlers use of HTTP: versions, ranges, caches, pages, feeds. See docs/how-to/cache-and-retry.md.

export { checkPreconditions } from './contract/conditional/check-preconditions.ts';
export type { Version } from './contract/conditional/entity-tags.ts';
export {
  createMemoryStore,
  type HeldKey,
  type IdempotencyStore,
  type KeptReply,
  type MemoryStoreOptions,
} from './contract/idempotency/store.ts';
export { type CursorValue, decodeCursor, encodeCursor } from './contract/parameters/cursors.ts';
export { type CacheControl, cacheControl, link } from './contract/reply/caching-fields.ts';
export { fileBody, type RangedBody, type RangedSource, rangedBody } from './contract/reply/ranged-body.ts';
export { createFeed, type Feed } from './http/reply/feed.ts';
