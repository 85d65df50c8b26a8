import { AUTHORIZATION, JSON_TYPE, LINE, lengthOf, writeRequest } from './case.ts';
import type { MakeBroken } from './framing.ts';
import { makeValid } from './members.ts';
import type { Some } from './random.ts';

const FIELDS: Some<string> = [
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

/** Header fields that break the rules of HTTP, or that something behind could trip over. */
export const makeFields: MakeBroken = (random) => {
  const { bytes: body } = makeValid(random);
  const odd = Array.from({ length: random.between(1, 3) }, () => random.pick(FIELDS));
  const host = random.chance(0.9) ? ['Host: drill'] : [];
  const good = [...host, AUTHORIZATION, JSON_TYPE, lengthOf(body)];
  const fields = random.chance(0.5) ? [...odd, ...good] : [...good, ...odd];
  return { bytes: writeRequest({ line: LINE, fields, body }), expects: [] };
};
