/** Information from proxies about a request: `Forwarded` (RFC 7239), and `X-Forwarded-For`, `-Proto` and `-Host`. */
import { isIP } from 'node:net';
import type { Express, Request } from 'express';

/** Whether the headers of a proxy at an address are believed, by the setting `trust proxy` of Express. */
export type Trust = (address: string | undefined, nth: number) => boolean;

/** The address of the client, and the scheme and host of its request; `undefined` if unknown. */
interface Origin {
  readonly address?: string | undefined;
  readonly scheme?: string | undefined;
  readonly host?: string | undefined;
}

/** How many proxies in a row are believed: clients can send lists of any length. */
const MAX_HOPS = 20;

/**
 * The last members of a list, last first. A comma in quotes separates as well: no address, host or scheme contains one,
 * and an unclosed quote from a client must not hide the members that proxies appended.
 */
const lastOf = (list: string | string[] = ''): string[] => {
  const text = String(list);
  const members: string[] = [];
  for (let end = text.length; end >= 0 && members.length < MAX_HOPS; ) {
    const comma = end === 0 ? -1 : text.lastIndexOf(',', end - 1);
    members.push(text.slice(comma + 1, end).trim());
    end = comma;
  }
  return members;
};

/** An IPv4 address that the system writes as IPv6, in its usual form. */
const plainAddress = (address: string | undefined): string | undefined =>
  address?.replace(/^::ffff:(?=\d+\.)/i, '');

/** RFC 7239, section 6: an address may have a port, and IPv6 has brackets. Others are `unknown`, or names without meaning. */
const addressIn = (node: string): string | undefined => {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([\d.]+))(?::[\w.-]+)?$/.exec(node) ?? [];
  const address = bracketed ?? plain ?? node;
  return isIP(address) > 0 ? plainAddress(address) : undefined;
};

const originFrom = (node = '', scheme = '', host = ''): Origin => ({
  address: addressIn(node),
  scheme: /^https?$/i.test(scheme) ? scheme.toLowerCase() : undefined,
  host: host || undefined,
});

const readElement = (element: string): Origin => {
  const pairs = element.split(';').map((pair): [string, string] => {
    const [name = '', value = ''] = pair.split('=', 2);
    return [name.trim().toLowerCase(), value.trim().replaceAll(/["\\]/g, '')];
  });
  const said = new Map(pairs);
  return originFrom(said.get('for'), said.get('proto'), said.get('host'));
};

/** Reads the lists. A proxy appends to a list or replaces it, so a list may be shorter than the list of addresses. */
const readLists = ({ headers }: Request): Origin[] => {
  const [schemes, hosts] = [lastOf(headers['x-forwarded-proto']), lastOf(headers['x-forwarded-host'])];
  return lastOf(headers['x-forwarded-for']).map((node, nth) =>
    originFrom(node, schemes[nth] ?? schemes.at(-1), hosts[nth] ?? hosts.at(-1)),
  );
};

/** Follows the chain of trusted proxies, from the peer to the client. */
const follow = (said: readonly Origin[], peer: string | undefined, trust: Trust): Origin => {
  let origin: Origin = { address: peer };
  for (const [nth, { address, scheme = origin.scheme, host = origin.host }] of said.entries()) {
    if (!trust(origin.address, nth)) break;
    origin = { address: address ?? origin.address, scheme, host };
    if (address === undefined) break;
  }
  return origin;
};

/**
 * Returns the origin of a request. Most proxies write one kind of header and pass on the other, which may be forged by
 * the client. If a request has both kinds, only values on which they agree are trusted.
 */
const originOf = (request: Request): Origin => {
  const { app, headers, socket } = request;
  const trust: Trust = app.get('trust proxy fn');
  const address = plainAddress(socket.remoteAddress);
  const hasLists = ['for', 'proto', 'host'].some((name) => headers[`x-forwarded-${name}`] !== undefined);
  const inLists = hasLists ? follow(readLists(request), address, trust) : undefined;
  if (headers.forwarded === undefined) return inLists ?? { address };
  const inOne = follow(lastOf(headers.forwarded).map(readElement), address, trust);
  if (!inLists) return inOne;
  return {
    address: inOne.address === inLists.address ? inOne.address : address,
    scheme: inOne.scheme === inLists.scheme ? inOne.scheme : undefined,
    host: inOne.host === inLists.host ? inOne.host : undefined,
  };
};

/** Makes Express's `ip`, `protocol` and `host` follow what proxies say: Express itself does not know `Forwarded`. */
export const addForwarded = (app: Express): void => {
  const define = (name: 'ip' | 'protocol' | 'host', read: (request: Request) => string | undefined): void => {
    function get(this: Request) {
      return read(this);
    }
    Object.defineProperty(app.request, name, { configurable: true, get });
  };
  define('ip', (request) => originOf(request).address);
  define('protocol', (request) => {
    const isEncrypted = 'encrypted' in request.socket; // of a server that is not ours
    return originOf(request).scheme ?? (isEncrypted ? 'https' : 'http');
  });
  define('host', (request) => originOf(request).host ?? request.headers.host);
};
