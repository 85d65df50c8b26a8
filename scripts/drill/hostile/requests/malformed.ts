import fc from 'fast-check';
import { validBodies } from './plants.ts';
import {
  AUTHORIZATION,
  GOOD_FIELDS,
  JSON_TYPE,
  lengthOf,
  mostly,
  type Requests,
  writeRequest,
} from './request.ts';

const METHODS = [
  'POST',
  'post',
  'PLANT',
  'POSTPOST',
  'P\0ST',
  'CONNECT',
  'SOURCE',
  'PRI',
  '',
  '\u00ff',
  'X'.repeat(20_000),
];
const TARGETS = [
  '/plants',
  '',
  'plants',
  '*',
  '?',
  '#',
  '/plants#x',
  '/pl ants',
  '/pl\tants',
  '/\0',
  '/\u00ff\u00fe',
  '/plants\u007f',
  'a:80',
  'http://',
  'http://a:b@c:99999/plants',
  '\\plants',
  `/${'a'.repeat(20_000)}`,
];
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/9.9',
  'HTTP/1.',
  'HTTP/11',
  'http/1.1',
  'HTTPS/1.1',
  'ICE/1.0',
  'RTSP/1.0',
  '',
  'HTTP/1.1 ',
  'HTTP/1.1\0',
];

const lines = fc
  .tuple(
    mostly('POST', 1, fc.constantFrom(...METHODS)),
    mostly('/plants', 1, fc.constantFrom(...TARGETS)),
    mostly('HTTP/1.1', 1, fc.constantFrom(...VERSIONS)),
    mostly(' ', 4, fc.constantFrom('', '  ', '\t', '\r', '\n', '\0')),
  )
  .map(([method, target, version, space]) => [method, target, version].join(space));

/** Request lines of every kind. */
export const requestLines: Requests = fc.tuple(validBodies, lines).map(([{ body }, line]) => ({
  bytes: writeRequest({ line, fields: [...GOOD_FIELDS, lengthOf(body)], body }),
  expects: [],
}));

const FIELDS = [
  'no colon',
  ': no name',
  ':',
  'A : b',
  'A\t: b',
  ' folded: first',
  'A: b\r\n folded',
  'A: b\r\n\tfolded',
  'A: b\rC: d',
  'A: b\nC: d',
  'A: \0',
  'A: \u0001',
  'A: \u007f',
  'A\0: b',
  'A\u00ff: b',
  'A(b): c',
  'A: \u00ff\u00fe',
  `A: ${'b'.repeat(70_000)}`,
  `${'a'.repeat(20_000)}: b`,
  Array.from({ length: 1500 }, (_, index) => `A${index}: b`).join('\r\n'),
  Array.from({ length: 2500 }, () => 'a:').join('\r\n'),
  'Host: another',
  'Host: a, b',
  'Content-Type: text/plain',
  'Content-Encoding: gzip',
  'Authorization: Bearer another',
  'Connection: close',
  'Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Connection: keep-alive, close, \u00ff',
  'Connection: Content-Length',
  'Keep-Alive: timeout=999999999999999999999',
  'Expect: 100-continue',
  'Expect: 100-continue, tea',
  'Trailer: Content-Length',
  'TE: trailers, chunked;q=nan',
  'Range: bytes=0-0,0-0,0-0',
  'If-None-Match: *',
];

/** Header fields that break the rules of HTTP, or that later code could trip over. */
export const headerFields: Requests = fc
  .tuple(
    validBodies,
    fc.array(fc.constantFrom(...FIELDS), { minLength: 1, maxLength: 3 }),
    fc.option(fc.constant('Host: drill'), { freq: 10 }),
    fc.boolean(),
  )
  .map(([{ body }, odd, host, isOddFirst]) => {
    const good = [...(host ? [host] : []), AUTHORIZATION, JSON_TYPE, lengthOf(body)];
    const fields = isOddFirst ? [...odd, ...good] : [...good, ...odd];
    return { bytes: writeRequest({ fields, body }), expects: [] };
  });

const PROTOCOLS = [
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1'),
  Buffer.from('16030100f4010000f00303', 'hex'),
  Buffer.from('802e0100020015000000100100800200800300800400800500800600400700c0', 'hex'),
  Buffer.from('050100', 'hex'),
  Buffer.from('PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\nGET /plants HTTP/1.1\r\nHost: x\r\n\r\n'),
  Buffer.from('GET /plants\r\n\r\n'),
  Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  Buffer.from('EHLO x\r\n'),
  Buffer.from('SSH-2.0-x\r\n'),
  Buffer.from('*1\r\n$4\r\nPING\r\n'),
  Buffer.from('\0\0\0\x08\x04\xd2\x16\x2f', 'latin1'),
  Buffer.from('\r\n'.repeat(1000)),
  Buffer.from(' '),
  Buffer.from('\n'),
  Buffer.alloc(1000),
];

/** Another protocol, or random bytes. */
export const otherProtocols: Requests = fc
  .oneof(
    { weight: 7, arbitrary: fc.constantFrom(...PROTOCOLS) },
    {
      weight: 3,
      arbitrary: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    },
  )
  .map((bytes) => ({ bytes, expects: [] }));
