import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { getOrInsert, oncePerKey, toJson } from '@trellis/openapi/internal/json';
import fc from 'fast-check';
import type { Contract } from '../../src/document/contract.ts';
import { operationsOf, replyFor } from '../../src/document/operations.ts';
import { parseJson } from '../../src/values/json.ts';
import type { Schema } from '../../src/values/schema.ts';
import { serve } from '../serve.ts';
import { anyJson, ODD_NAMES } from './contracts.ts';

/** A number from 0 to 1 that depends on the seed and the calls before (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

type Reply = { status: number; headers: Record<string, string | string[]>; body: Buffer };

const STATUSES = [
  200, 201, 202, 204, 206, 301, 304, 400, 401, 404, 405, 409, 410, 415, 422, 429, 500, 503, 599,
];
const TYPES = [
  'text/plain',
  'text/html',
  'application/xml',
  '',
  'json',
  'application/json; charset=x-none',
  'application/json; charset=utf-16le',
  'application/problem+json',
  'text/event-stream',
  'multipart/x',
  ';',
  '*/*',
];
const IDS: unknown[] = [
  '',
  '__proto__',
  'constructor',
  'a/b',
  '%',
  '..',
  '\ud800',
  0,
  -1,
  1,
  1.5,
  2 ** 53,
  Number.POSITIVE_INFINITY,
  null,
  true,
  [],
  {},
  { id: 1 },
  '0x10',
  '007',
];
const LOCATIONS = [
  '',
  '/',
  '//',
  'http://',
  'http://[',
  '/things/%',
  '/things/%E0%A4%A',
  '/things/1',
  '/things/',
  'things',
  '?',
  '#',
  '/things/a%2Fb',
  'javascript:1',
  '/'.repeat(2000),
  '/things/\u00e9',
];
const HEADERS = [
  'X-Thing',
  'Link',
  'X-Total-Count',
  'Allow',
  'ETag',
  'Vary',
  'X-Stub',
  'Retry-After',
  'WWW-Authenticate',
  'Set-Cookie',
  '__proto__',
  'constructor',
];
const VALUES = [
  '',
  '0',
  '1',
  '-1',
  '1e3',
  'a',
  'a,b',
  'a=1',
  '{"a":1}',
  '{',
  '<>; rel=next',
  '</things?limit=1>; rel="next"',
  '</things?cursor=%>; rel=next',
  '*',
  '"',
  '\u00ff',
  ', ,',
  'x'.repeat(5000),
  '99999999999999999999',
];
const WRONG_JSON = [
  '',
  '{',
  '{"a":',
  'NaN',
  '[1,]',
  'undefined',
  '\ufeff{}',
  '{} {}',
  '01',
  '1e999',
  '-0',
  '"\\ud800"',
  '{"":{}}',
  '{"__proto__":{"id":1}}',
  '{"id":{"toString":1}}',
  '{"status":{"toString":null,"valueOf":null}}',
  '12345678901234567890123',
  '{"id":12345678901234567890}',
  '[[]]',
  'null',
];

const made = new WeakMap<Contract, (schema: Schema) => fc.Arbitrary<unknown>>();

/** Gives the values of a schema, which are made once for all the services of a contract. */
const valuesOf = (contract: Contract) =>
  getOrInsert(made, contract, ({ reply }) => oncePerKey((schema: Schema) => reply.arbitraryOf(schema)));

/** Random choices that a seed determines. */
const createChoices = (seed: number) => {
  const random = createRandom(seed);
  return {
    one: <T>(items: readonly [T, ...T[]] | readonly T[]): T =>
      items[Math.floor(random() * items.length)] as T,
    chance: (of: number): boolean => random() < of,
    sample: <T>(values: fc.Arbitrary<T>): T =>
      fc.sample(values, { seed: Math.floor(random() * 2 ** 31), numRuns: 1 })[0] as T,
  };
};

/** A service with random replies, and the things that it keeps. */
interface Service extends ReturnType<typeof createChoices> {
  readonly contract: Contract;
  readonly things: unknown[];
  readonly idName: string;
}

const write = (value: unknown): Buffer => {
  try {
    return Buffer.from(toJson(value as never));
  } catch {
    return Buffer.from(JSON.stringify(String(value)));
  }
};

const odd = ({ one, sample, things }: Service): Buffer => {
  const depth = one([10, 1000, 20_000]);
  return one([
    () => Buffer.from(one(WRONG_JSON)),
    () => write(sample(anyJson)),
    () => Buffer.from('['.repeat(depth) + ']'.repeat(depth)),
    () => Buffer.from(`${'{"left":'.repeat(depth)}1${'}'.repeat(depth)}`),
    () => Buffer.from([0xff, 0xfe, 0x22, 0xc3]),
    () => Buffer.from(`{${ODD_NAMES.map((name) => `${JSON.stringify(name)}:{}`).join()}}`),
    () =>
      write({
        items: things,
        total: one([0, -1, Number.POSITIVE_INFINITY, '1', null]),
        next: one(VALUES),
        has_more: true,
      }),
  ])();
};

/** Stores the body of a create or a replace, and returns the reply. */
const store = (service: Service, path: string, sent: string, reply: Reply, hasBody: boolean): Reply => {
  const { one, chance, things, idName } = service;
  let value: unknown;
  try {
    value = parseJson(sent);
  } catch {}
  const id = chance(0.7) ? things.length : one(IDS);
  const kept = typeof value === 'object' && value !== null ? value : {};
  const thing = Object.fromEntries([...Object.entries(kept), [idName, id]]);
  things.push(thing);
  if (chance(0.5))
    reply.headers.Location = chance(0.7)
      ? `${path.replace(/\/$/, '')}/${things.length - 1}`
      : encodeURI(one(LOCATIONS).toWellFormed?.() ?? '');
  return { ...reply, body: hasBody ? write(chance(0.7) ? thing : { data: thing }) : Buffer.alloc(0) };
};

/** A reply as a right service may send it. */
const usual = (service: Service, method: string, path: string, sent: string): Reply => {
  const { one, chance, sample, contract, things } = service;
  const segments = path.split('/').filter((each) => each !== '');
  const operation = operationsOf(contract).find(
    (each) =>
      each.method === method && each.path.split('/').filter((part) => part !== '').length === segments.length,
  );
  const statuses = [...(operation?.replies.keys() ?? [])].map(
    (key) => Number.parseInt(key.replace(/XX$/, '00'), 10) || 200,
  );
  const status = chance(0.8) ? (statuses.find((each) => each < 300) ?? 200) : (one(statuses) ?? 200);
  const [content] = (operation && replyFor(operation, status))?.contents ?? [];
  const headers: Reply['headers'] = content
    ? { 'Content-Type': content.mediaType.replace('*/*', 'application/json') }
    : {};
  const empty = { status, headers, body: Buffer.alloc(0) };
  if (method === 'POST' || method === 'PUT') return store(service, path, sent, empty, content !== undefined);
  if (method === 'DELETE' && chance(0.5)) things.pop();
  if (chance(0.3) && content)
    try {
      return { status, headers, body: write(sample(valuesOf(contract)(content.schema))) };
    } catch {}
  const known = things[Number(segments.at(-1))] ?? things.at(-1) ?? {};
  const list = one<unknown>([
    things,
    { items: things, total: things.length },
    { data: things.slice(0, 1), next: one(VALUES) },
  ]);
  return content ? { status, headers, body: write(chance(0.6) ? known : list) } : empty;
};

/** Gets one thing about a reply wrong. */
const spoil = (service: Service, reply: Reply): Reply => {
  const { one } = service;
  return one<() => Reply>([
    () => ({ ...reply, status: one(STATUSES) }),
    () => ({ ...reply, body: odd(service) }),
    () => ({
      ...reply,
      body: odd(service),
      headers: { ...reply.headers, 'Content-Type': 'application/json' },
    }),
    () => ({ ...reply, headers: { ...reply.headers, 'Content-Type': one(TYPES) } }),
    () => ({ ...reply, headers: { ...reply.headers, [one(HEADERS)]: one(VALUES) } }),
    () => ({ ...reply, headers: { ...reply.headers, Link: [one(VALUES), one(VALUES)] } }),
    () => ({ ...reply, headers: { ...reply.headers, Location: encodeURI(one(LOCATIONS)) } }),
    () => ({
      ...reply,
      headers: {
        ...reply.headers,
        'Content-Encoding': one(['gzip', 'br', 'constructor', '__proto__', 'a, b']),
      },
    }),
    () => ({
      ...reply,
      body: gzipSync(reply.body),
      headers: { ...reply.headers, 'Content-Encoding': 'gzip' },
    }),
    () => ({ ...reply, body: reply.body.subarray(0, reply.body.length / 2) }),
    () => ({ ...reply, headers: { ...reply.headers, 'Retry-After': '0' }, status: 429 }),
  ])();
};

/** Answers with random replies, often right or nearly right ones. */
const createReplies = (contract: Contract, seed: number) => {
  const choices = createChoices(seed);
  const { one, chance } = choices;
  const wrongness = one([0, 0.05, 0.2, 0.6]);
  const idName = one(['id', 'id', 'thingId', 'uuid', '', '__proto__']);
  const service: Service = { ...choices, contract, things: [], idName };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request;
    const sent = await text(request).catch(() => ''); // the tester may hang up
    const right = usual(service, method, url.replace(/\?.*$/s, ''), sent);
    const reply = chance(wrongness) ? spoil(service, right) : right;
    // Else the tester waits for two seconds before it has asked often enough: once in a while that will do.
    if (reply.status === 429 && chance(0.95)) reply.headers['Retry-After'] ??= '0';
    if (chance(wrongness / 20)) return void request.socket.destroy();
    const isCut = chance(wrongness / 10);
    const hasBody = reply.body.length > 0;
    for (const [name, value] of Object.entries(reply.headers)) response.setHeader(name, value);
    response.statusCode = reply.status;
    if (hasBody) response.setHeader('Content-Length', reply.body.length + (isCut ? 5 : 0));
    if (!isCut) return void response.end(reply.body);
    response.write(reply.body, () => request.socket.destroy());
  };
};

/** A service whose replies are random. */
export const startRandom = async () => {
  let answer: ReturnType<typeof createReplies> | undefined;
  const problems: unknown[] = [];
  const { url, close } = await serve((request, response) => {
    request.on('error', () => {});
    answer?.(request, response).catch((error: unknown) => {
      problems.push(error);
      response.destroy();
    });
  });
  return {
    url,
    close,
    /** Errors of the service itself, which are mistakes of the test. */
    problems,
    /** Answers from now on as a service of this contract, in a way that the seed decides. */
    serve: (contract: Contract, seed: number): void => {
      answer = createReplies(contract, seed);
    },
  };
};
