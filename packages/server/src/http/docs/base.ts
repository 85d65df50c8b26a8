import type { Request } from 'express';
import { isProxied } from '../../contract/incoming.ts';

/** A path that is safe to send back to a browser: no scheme, no host, no `..`, limited length. */
const SAFE = /^(?:\/(?!\.\.?(?:\/|$))[\w.~!$&'()*+,;=:@%-]+){0,32}$/;

const MAX_LENGTH = 512;

const safePath = (path: string): string | undefined =>
  path.length <= MAX_LENGTH && SAFE.test(path) ? path : undefined;

/**
 * The path under which a proxy serves this app, from X-Forwarded-Prefix, without a trailing slash. Each proxy in a
 * chain may add a prefix. `undefined` if the header is absent or holds no safe path.
 */
export const forwardedBase = (request: Request): string | undefined => {
  const header = request.headers['x-forwarded-prefix'];
  if (header === undefined || !isProxied(request)) return undefined;
  const prefixes = String(header)
    .split(',')
    .map((prefix) => prefix.trim().replace(/\/$/, ''));
  return safePath(prefixes.join('') + request.baseUrl);
};

/** A name or an IP address, and perhaps a port (RFC 9110, section 7.2): no user, no path, nothing to escape. */
const HOST = /^(?:[a-z\d_](?:[\w.-]{0,251}[\w.])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The address at which the client has reached this app, without a trailing slash, as its Host header has it, or the proxies
 * in between that are believed. `undefined` if these hold no plain host or path.
 */
export const addressOf = (request: Request): string | undefined => {
  const { protocol, host = '' } = request;
  const base = forwardedBase(request) ?? safePath(request.baseUrl);
  return HOST.test(host) && base !== undefined ? `${protocol}://${host}${base}` : undefined;
};
