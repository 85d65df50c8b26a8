import type { Request } from 'express';

/** What a path may hold to be given back to a browser: no scheme, no host, no dots that climb, no end. */
const SAFE = /^(?:\/(?!\.\.?(?:\/|$))[\w.~!$&'()*+,;=:@%-]+){0,32}$/;

const LONGEST = 512;

/**
 * The path under which a proxy says, by X-Forwarded-Prefix, that it serves this app, without a slash at its end.
 * Proxies in a row give several. `undefined` where none says so, or what it says is no plain path.
 */
export const forwardedBase = ({ headers, baseUrl }: Request): string | undefined => {
  const header = headers['x-forwarded-prefix'];
  if (header === undefined) return undefined;
  const prefixes = String(header)
    .split(',')
    .map((prefix) => prefix.trim().replace(/\/$/, ''));
  const base = prefixes.join('') + baseUrl;
  return base.length <= LONGEST && SAFE.test(base) ? base : undefined;
};
