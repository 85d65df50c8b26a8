import { gzipSync } from 'node:zlib';
import { isList, isMembers, type Value, writeJson } from '../service/json.ts';
import type { Reply, Variant, Variants } from '../service/variant.ts';

/** Changes every JSON text that is sent. */
const rendered = (render: (text: string) => string): Variant => ({
  replies: (reply) => (reply.body === undefined ? reply : { ...reply, raw: render(writeJson(reply.body)) }),
});

const headers = (add: (reply: Reply) => Readonly<Record<string, string>>): Variant => ({
  replies: (reply) => ({ ...reply, headers: { ...reply.headers, ...add(reply) } }),
});

const reversed = (value: Value): Value => {
  if (isList(value)) return value.map(reversed);
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, each]) => [name, reversed(each)] as const)
      .reverse(),
  );
};

/** How a service may write its replies. */
export const WIRE_MANNERS: Variants = {
  'writes JSON with blanks': rendered((text) =>
    text.replaceAll(/("(?:[^"\\]|\\.)*")|([,:[{])/g, '$1$2 ').concat('\n'),
  ),
  'escapes all that is not ASCII': rendered((text) =>
    text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  'writes integers with a fraction of zero': rendered((text) => text.replaceAll(/("total":\d+)/g, '$1.0')),
  'sends members in another order': {
    replies: (reply) => (reply.body === undefined ? reply : { ...reply, body: reversed(reply.body) }),
  },
  'names the charset': headers(
    ({ headers: { 'Content-Type': type } }): Readonly<Record<string, string>> =>
      type ? { 'Content-Type': `${type}; charset=UTF-8` } : {},
  ),
  'writes media types in capitals': headers(
    ({ headers: { 'Content-Type': type } }): Readonly<Record<string, string>> =>
      type ? { 'Content-Type': type.toUpperCase() } : {},
  ),
  'sends more headers': headers(() => ({
    Server: 'library',
    Vary: 'Accept',
    'Set-Cookie': 'a=b',
    'X-Runtime': '0.1',
  })),
  'closes every connection': headers(() => ({ Connection: 'close' })),
  'sends its replies in chunks': {
    writes: (response, { status, headers, body, raw }) => {
      response.writeHead(status, headers);
      if (status !== 204)
        response.write((raw ?? (body === undefined ? '' : writeJson(body))).toString() || ' ');
      response.end();
      return true;
    },
  },
  'compresses for those who ask': {
    writes: (response, { status, headers, body, raw }, received) => {
      if (status === 204 || !/gzip/.test(String(received.headers['accept-encoding']))) return false;
      const bytes = gzipSync(raw ?? (body === undefined ? '' : writeJson(body)));
      response.writeHead(status, { ...headers, 'Content-Encoding': 'gzip', 'Content-Length': bytes.length });
      response.end(bytes);
      return true;
    },
  },
  'answers slowly': {
    writes: (response, { status, headers, body }, { operation }) => {
      if (operation !== 'getStatus') return false;
      setTimeout(() => response.writeHead(status, headers).end(writeJson(body ?? null)), 50);
      return true;
    },
  },
};
