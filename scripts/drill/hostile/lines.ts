import { GOOD_FIELDS, lengthOf, writeRequest } from './case.ts';
import type { MakeBroken } from './framing.ts';
import { makeValid } from './members.ts';
import type { Some } from './random.ts';

const METHODS: Some<string> = [
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
const TARGETS: Some<string> = [
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
const VERSIONS: Some<string> = [
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

/** Request lines of every kind. */
export const makeRequestLine: MakeBroken = (random) => {
  const { bytes: body } = makeValid(random);
  const space = random.chance(0.8) ? ' ' : random.pick(['', '  ', '\t', '\r', '\n', '\0']);
  const line = [
    random.chance(0.5) ? 'POST' : random.pick(METHODS),
    random.chance(0.5) ? '/plants' : random.pick(TARGETS),
    random.chance(0.5) ? 'HTTP/1.1' : random.pick(VERSIONS),
  ].join(space);
  return { bytes: writeRequest({ line, fields: [...GOOD_FIELDS, lengthOf(body)], body }), expects: [] };
};

const OTHERS: Some<Buffer> = [
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

/** Another protocol altogether, or none. */
export const makeOtherProtocol: MakeBroken = (random) => ({
  bytes: random.chance(0.7) ? random.pick(OTHERS) : random.bytes(random.between(1, 300)),
  expects: [],
});
