import type { Chance } from '../chance.ts';
import { AUTHORIZATION, CHUNKED, HEALTH, HOST, JSON_TYPE, lengthOf, writeRequest } from '../wire.ts';
import { HARD, type Hard, type Wrap } from './hard.ts';

/** The built service with its own contract, a server whose contract is made to be hard, or the service with streams. */
export type ServerName = 'default' | 'hard' | 'streams';

/** One request that may be expensive to serve, or crowds that send nothing good. */
export interface StallCase {
  readonly to: ServerName;
  readonly bytes: Buffer;
  /** Crowds that stay for a while, in place of the bytes. */
  readonly crowds?: readonly Crowd[];
  /** How much memory it may use, in MiB; 150 if not given. */
  readonly memory?: number;
}

/** Connections that behave alike, and come again when they are closed. */
export interface Crowd {
  readonly connections: number;
  readonly arrival?: number;
  /** What each sends at first. */
  readonly first: string;
  /** What it sends after that, again and again: as fast as it can, or at an interval in milliseconds. */
  readonly more?: string;
  readonly every?: number;
  readonly reads: boolean;
}

/** How long it takes until all connections of a crowd are open, in milliseconds. */
export const arrivalOf = ({ arrival = 1000 }: Crowd): number => arrival;

/** The limits of the service in bytes, and how much of them a case may fill. */
export const BODY_LIMIT = 102_400;
export const HEAD_LIMIT = 16_384;
const BODY_ROOM = BODY_LIMIT - 400;
const HEAD_ROOM = HEAD_LIMIT - 300;

/** As many copies of a text as there is room for. */
const fill = (unit: string, room: number): string => unit.repeat(Math.floor(room / unit.length));

/** As many items as there is room for, at least one. `#` in an item stands for its number. */
const list = (item: string, room: number, between: string): string => {
  const make = (nth: number) => item.replaceAll('#', `${10_000 + nth}`);
  const length = Math.floor((room + between.length) / (Buffer.byteLength(make(0)) + between.length));
  return Array.from({ length: Math.max(1, length) }, (_, nth) => make(nth)).join(between);
};

/** Nests a text so deep, or as deep as there is room for. */
const nest = ([open, close]: Wrap, depth: number, inner: string): string => {
  const most = Math.min(depth, Math.floor((BODY_ROOM - inner.length) / (open.length + close.length)));
  return open.repeat(Math.max(0, most)) + inner + close.repeat(Math.max(0, most));
};

/** A create with this body and a token. */
const toPlants = (body: string, type = JSON_TYPE): StallCase => ({
  to: 'default',
  bytes: writeRequest('POST /plants HTTP/1.1', [HOST, AUTHORIZATION, type, lengthOf(body)], body),
});
const toHard = (path: string, body: string, type = JSON_TYPE): StallCase => ({
  to: 'hard',
  bytes: writeRequest(`POST ${path} HTTP/1.1`, [HOST, type, lengthOf(body)], body),
});

type Cases = Readonly<Record<string, (chance: Chance) => StallCase>>;

const DEPTHS = [8, 16, 24, 100, 500, 2000, 10_000, 50_000];

/** Two bodies for a schema: many values side by side, and one or many deep inside. */
const jsonCases = (path: string, { wraps = [], holds, items }: Hard): Cases => {
  const send = (value: string) =>
    path === '/plants' ? toPlants(`{"id":1,"name":"a","z":${value}}`) : toHard(path, value);
  const [open, close] = holds ?? ['[', ']'];
  const wide = (item: string, room: number) => open + list(item, room - open.length, ',') + close;
  const deep: Cases[string] = ({ pick, oneIn }) => {
    const [wrap, depth, item] = [pick(...wraps), pick(...DEPTHS), pick(...items)];
    return send(nest(wrap, depth, !holds && oneIn(2) ? item : wide(item, pick(300, BODY_ROOM / 2))));
  };
  return { wide: ({ pick }) => send(wide(pick(...items), BODY_ROOM)), ...(wraps.length > 0 && { deep }) };
};

const VALUES = ['1', 'a', '', '%41', '+', '1e1', '9007199254740993', '%00', '%'];
/** Names in a query or a part. `#` stands for a number that grows. */
const NAMES = ['ids', 'union', 'deep[#]', 'n#', 'deep[[[', 'piped'];

const part = (name: string, value: string, more = ''): string =>
  `--drill\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
const sendParts = (parts: string, boundary = 'drill') =>
  toHard('/parts', `${parts}--drill--\r\n`, `Content-Type: multipart/form-data; boundary=${boundary}`);

const FORM_CASES: Cases = {
  'many parts': ({ pick }) =>
    sendParts(list(part(pick(...NAMES), pick(...VALUES), pick('', '; filename="f"')), BODY_ROOM, '')),
  'nearly boundaries': ({ pick }) =>
    sendParts(part('other', fill(pick('--dril', '\r\n--', '--', '\r\n--dril', '-', '\r\n'), 100_000))),
  'a part with a long header': ({ pick }) =>
    sendParts(part('other', '1', `; ${fill(pick(';', 'a', '"', '\\', '; a=b', ' '), 100_000)}`)),
  'a long boundary': ({ pick }) => sendParts('-'.repeat(BODY_ROOM), '-'.repeat(pick(70, 1000, 10_000))),
};

const get = (target: string, ...fields: readonly string[]) =>
  writeRequest(`GET ${target} HTTP/1.1`, [HOST, ...fields]);
const search = (query: string, ...fields: readonly string[]): StallCase => ({
  to: 'hard',
  bytes: get(`/search${query}`, ...fields),
});

const HEAD_CASES: Cases = {
  'many pairs': ({ pick }) => search(`?${list(`${pick(...NAMES)}=${pick(...VALUES)}`, HEAD_ROOM, '&')}`),
  'many values': ({ pick }) => search(`?piped=${list(pick(...VALUES), HEAD_ROOM, pick('|', '%7C', ','))}`),
  'long encodings': ({ pick }) =>
    search(`?a=${fill(pick('%41', '+', '%C3%A9', '&', '=', '%', '?'), HEAD_ROOM)}`),
  cookies: ({ pick }) =>
    search('', `Cookie: ${list(pick('session=1', '#=1', '=1'), HEAD_ROOM, pick('; ', ';', ';   '))}`),
  'a field of spaces': ({ pick }) =>
    search('', `${pick('Cookie: a', 'X-Ids: 1')}${fill(pick(' ', '; ', ';', '=', '"', ', '), HEAD_ROOM)}1`),
  'one field, many times': ({ pick }) => {
    const name = pick('X-Ids', 'Accept', 'a', 'Cookie', 'X-Request-Id', 'X-Forwarded-Prefix');
    return search('', list(`${name}: 1`, HEAD_ROOM, '\r\n'));
  },
  'a media type without end': ({ pick }) =>
    toPlants('{}', JSON_TYPE + fill(pick(';a=b', ';', ' ', '; charset="', '\\', '/'), HEAD_ROOM)),
};

/** As many as the service lets one connection pipeline. */
const REQUESTS = 16;
const PLANT = '{"id":1,"name":"a"}';
const post = (...fields: readonly string[]) =>
  writeRequest('POST /plants HTTP/1.1', [HOST, ...fields, JSON_TYPE, lengthOf(PLANT)], PLANT);

const sixteen = (request: Buffer): string => `${request}`.repeat(REQUESTS);
const NEVER_READ = [get('/openapi.json'), post(), post(AUTHORIZATION)].map(
  (request): Crowd => ({ connections: 67, first: '', more: sixteen(request), reads: false }),
);
const CHUNK = `10000\r\n${'a'.repeat(65_536)}\r\n`;
const ENDLESS: Crowd = {
  connections: 200,
  first: `${writeRequest('POST /plants HTTP/1.1', [HOST, JSON_TYPE, CHUNKED])}`,
  more: CHUNK,
  reads: true,
};
/** A header or a body that comes byte by byte. */
const SLOW = [
  'GET /healthz HTTP/1.1\r\nX: ',
  `${writeRequest('POST /plants HTTP/1.1', [HOST, AUTHORIZATION, JSON_TYPE, 'Content-Length: 100000'])}`,
].map((first): Crowd => ({ connections: 250, first, more: '1', every: 1000, reads: true }));
/** More than socket buffers hold. */
const NEVER_READ_A_MEGABYTE: Crowd = { connections: 800, first: sixteen(get('/openapi.json')), reads: false };

/** Requests that are cheap alone, sixteen at a time on each connection. */
const PIPELINED = [get('/x'), HEALTH, post(), post(AUTHORIZATION)].map(
  (request): Crowd => ({
    connections: 150,
    first: sixteen(request),
    more: sixteen(request),
    every: 1000,
    reads: true,
  }),
);

const crowds = (to: ServerName, ...all: readonly Crowd[]) => {
  const stall: StallCase = { to, bytes: Buffer.alloc(0), crowds: all };
  return () => stall;
};

/** Connections that stay and do harm as long as they can. */
const CROWDS: Cases = {
  '200 that never read': crowds('default', ...NEVER_READ),
  '200 endless bodies': crowds('default', ENDLESS),
  '500 slow ones': crowds('default', ...SLOW),
  'all of these': crowds('default', ...NEVER_READ, ENDLESS, ...SLOW),
  '600 that pipeline': crowds('default', ...PIPELINED),
  '800 that ask for 1 MB and never read': crowds('hard', NEVER_READ_A_MEGABYTE),
};

const upload = (type: string, start = ''): string =>
  `${writeRequest('PUT /uploads HTTP/1.1', [HOST, `Content-Type: ${type}`, CHUNKED], start)}`;
const BYTES = upload('application/octet-stream');
const FILE = part('file', '', '; filename="f"').slice(0, -2);
const FORM = upload('multipart/form-data; boundary=drill', `${FILE.length.toString(16)}\r\n${FILE}\r\n`);

const streams = (memory: number, crowd: Crowd) => {
  const stall: StallCase = { to: 'streams', bytes: Buffer.alloc(0), crowds: [crowd], memory };
  return () => stall;
};

/** Connections that hold streams open, both ways. Uploads are larger than the memory that they may take. */
const STREAMS: Cases = {
  '1000 that ask for endless bytes and never read': streams(150, {
    connections: 1000,
    arrival: 5000,
    first: `${get('/bytes')}`,
    reads: false,
  }),
  '5000 readers of events': streams(250, {
    connections: 5000,
    arrival: 20_000,
    first: `${get('/events')}`,
    reads: true,
  }),
  '100 endless uploads': streams(150, {
    connections: 100,
    first: BYTES,
    more: CHUNK,
    every: 100,
    reads: true,
  }),
  'an upload as fast as it goes': streams(64, { connections: 1, first: BYTES, more: CHUNK, reads: true }),
  'a file in a form as fast as it goes': streams(64, {
    connections: 1,
    first: FORM,
    more: CHUNK,
    reads: true,
  }),
};

/** All cases, by class and name. */
export const CLASSES: Readonly<Record<string, Cases>> = {
  ...Object.fromEntries(
    Object.entries(HARD).map(([path, hard]) => [`JSON for ${path}`, jsonCases(path, hard)]),
  ),
  'forms in parts': FORM_CASES,
  'queries, cookies and header fields': HEAD_CASES,
  'hostile crowds': CROWDS,
  'streams that stay': STREAMS,
};
