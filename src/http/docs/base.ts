import type { Request } from 'express';

/** A path that is safe to send back to a browser: no scheme, no host, no `..`, limited length. */
const SAFE = /^(?:\/(?!\.\.?(?:\/|$))[\w.~!$&'()*+,;=:@%-]+){0,32}$/;

const MAX_LENGTH = 512;

/**
 * The path under which a proxy serves this app, from X-Forwarded-Prefix, without a trailing slash. Each proxy in a
 * chain may add a prefix. `undefined` if the header is absent or holds no safe path.
 */
export const forwardedBase = ({ headers, baseUrl }: Request): string | undefined => {
  const header = headers['x-forwarded-prefix'];
  if (header === undefined) return undefined;
  const prefixes = String(header)
    .split(',')
    .map((prefix) => prefix.trim().replace(/\/$/, ''));
  const base = prefixes.join('') + baseUrl;
  return base.length <= MAX_LENGTH && SAFE.test(base) ? base : undefined;
};
