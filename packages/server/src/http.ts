// What handlers use of HTTP: versions, ranges, caches, pages, feeds. See docs/how-to/cache-and-retry.md.

export {
  type CacheControl,
  cacheControl,
  checkPreconditions,
  createMemoryStore,
  decodeCursor,
  encodeCursor,
  fileBody,
  type IdempotencyStore,
  link,
  rangedBody,
  type Version,
} from '@trellis/contract/internal/http';
export { createFeed, type Feed } from './http/reply/feed.ts';
