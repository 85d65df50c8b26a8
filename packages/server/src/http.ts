// What handlers use of HTTP: versions, ranges, caches, pages, feeds. See docs/how-to/cache-and-retry.md.

export { checkPreconditions } from './contract/conditional/check-preconditions.ts';
export type { Version } from './contract/conditional/entity-tags.ts';
export { fileBody, type RangedBody, type RangedSource, rangedBody } from './contract/reply/ranged-body.ts';
export { createFeed, type Feed } from './http/reply/feed.ts';
