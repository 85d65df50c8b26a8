import fc from 'fast-check';
import { AUTHORIZATION, GOOD_FIELDS, HOST, JSON_TYPE, lengthOf, writeRequest } from '../../wire.ts';
import { validBodies } from './plants.ts';
import { mostly, type Requests } from './request.ts';

const METHODS = 'POST post PLANT POSTPOST P\0ST CONNECT SOURCE PRI \u00ff'
  .split(' ')
  .concat('', 'X'.repeat(20_000));
const TARGETS = [
  ...'/plants plants * ? # /plants#x /pl\tants /\0 /\u00ff\u00fe /plants\u007f a:80 http://'.split(' '),
  ...['', '/pl ants', 'http://a:b@c:99999/plants', '\\plants', `/${'a'.repeat(20_000)}`],
];
const VERSIONS = [
  ...'HTTP/1.1 HTTP/1.0 HTTP/0.9 HTTP/1.2 HTTP/2.0 HTTP/9.9 HTTP/1. HTTP/11 http/1.1'.split(' '),
  ...['HTTPS/1.1', 'ICE/1.0', 'RTSP/1.0', '', 'HTTP/1.1 ', 'HTTP/1.1\0'],
];

const lines = fc
  .tuple(
    mostly('POST', 1, fc.constantFrom(...METHODS)),
    mostly('/plants', 1, fc.constantFrom(...TARGETS)),
    mostly('HTTP/1.1', 1, fc.constantFrom(...VERSIONS)),
    mostly(' ', 4, fc.constantFrom('', '  ', '\t', '\r', '\n', '\0')),
  )
  .map(([method, target, version, space]) => [method, target, version].join(space));

const requestLines: Requests = fc.tuple(validBodies, lines).map(([{ body }, line]) => ({
  bytes: writeRequest(line, [...GOOD_FIELDS, lengthOf(body)], body),
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
const headerFields: Requests = fc
  .tuple(
    validBodies,
    fc.array(fc.constantFrom(...FIELDS), { minLength: 1, maxLength: 3 }),
    fc.option(fc.constant(HOST), { freq: 10 }),
    fc.boolean(),
  )
  .map(([{ body }, odd, host, isOddFirst]) => {
    const good = [...(host ? [host] : []), AUTHORIZATION, JSON_TYPE, lengthOf(body)];
    const fields = isOddFirst ? [...odd, ...good] : [...good, ...odd];
    return { bytes: writeRequest('POST /plants HTTP/1.1', fields, body), expects: [] };
  });

const PROTOCOLS = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0',
  '\x16\x03\x01\0\xf4\x01\0\0\xf0\x03\x03', // TLS
  '\x80\x2e\x01\0\x02\0\x15\0\0\0\x10\x01\0\x80\x02\0\x80\x03\0\x80\x04\0\x80\x05\0\x80\x06\0\x40\x07\0\xc0', // SSL 2
  '\x05\x01\0', // SOCKS 5
  'PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\nGET /plants HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /plants\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  'EHLO x\r\n',
  'SSH-2.0-x\r\n',
  '*1\r\n$4\r\nPING\r\n', // Redis
  '\0\0\0\x08\x04\xd2\x16\x2f', // PostgreSQL
  '\r\n'.repeat(1000),
  ' ',
  '\n',
  '\0'.repeat(1000),
];

/** Another protocol, or random bytes. */
const otherProtocols: Requests = fc
  .oneof(
    {
      weight: 7,
      arbitrary: fc.constantFrom(...PROTOCOLS).map((text) => Buffer.from(text, 'latin1')),
    },
    { weight: 3, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 300 }) },
  )
  .map((bytes) => ({ bytes: Buffer.from(bytes), expects: [] }));

/** Requests that break the rules of HTTP before the body. */
export const MALFORMED = {
  'broken: request line': requestLines,
  'broken: header fields': headerFields,
  'broken: other protocols': otherProtocols,
};
