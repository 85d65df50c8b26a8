import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { bytesOf, makeConversation } from '../../scripts/drill/hostile/conversation.ts';
import { reportHostile, runHostileDrill } from '../../scripts/drill/hostile/drill.ts';
import { createFlood } from '../../scripts/drill/hostile/flood.ts';
import { judge } from '../../scripts/drill/hostile/judge.ts';
import { BROKEN, FRAMED } from '../../scripts/drill/hostile/kinds.ts';
import type { HostileRequest } from '../../scripts/drill/hostile/request.ts';
import { commandFor } from '../../scripts/drill/hostile/shrink.ts';
import { findAltered, findHarm } from '../../scripts/drill/hostile/survival.ts';
import { TOKEN } from '../../scripts/drill/plant-store.ts';
import { renderReport } from '../../scripts/drill/report.ts';
import { findGrowth, readLevel, readRss, WITH_COLLECTOR } from '../../scripts/support/memory.ts';
import { startProcess } from '../../scripts/support/service.ts';
import { openSqliteRepository } from '../../src/storage/sqlite.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();

test('some thousand hostile requests find nothing', async () => {
  const told: string[] = [];
  const result = await runHostileDrill({
    requests: 8000,
    seed: 41,
    connections: 4,
    report: (text) => told.push(text),
  });

  expect(result.findings).toEqual([]);
  expect(result).toMatchObject({ seed: 41, requests: 8000, found: 0 });
  expect(result.canaries.sent).toBeGreaterThan(100);
  expect(result.canaries.stored).toBe(result.canaries.sent);
  expect(new Set(result.rows.keys())).toEqual(new Set(['canary', ...Object.keys({ ...FRAMED, ...BROKEN })]));
  for (const { sent, served, refused } of result.rows.values()) {
    expect(sent).toBeGreaterThan(0);
    expect(served + refused).toBeGreaterThan(0);
  }
  expect(told.join('\n')).toMatch(/\d+ of 8000 requests, \d+\/s, 0 findings/);
  expect(renderReport(reportHostile(result))).toMatch(/seed 41: 8,000 requests[\s\S]*findings {3}none$/);
}, 300_000);

test('the same seed makes the same requests, another seed makes others', () => {
  const requests = (seed: number) => Array.from({ length: 50 }, (_, index) => makeConversation(seed, index));
  expect(requests(1)).toEqual(requests(1));
  expect(requests(1).map(bytesOf)).not.toEqual(requests(2).map(bytesOf));
});

const reply = (status: number, body: unknown, { type = 'application/json', fields = '' } = {}): string => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return `HTTP/1.1 ${status} X\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n${fields}\r\n${text}`;
};

const FERN = { name: 'Fern', tag: 'shade' };
const SERVED = reply(200, FERN);
const REFUSED = reply(400, { error: 40003, message: 'no' });
const CLOSED = reply(400, { error: 40003, message: 'no' }, { fields: 'Connection: close\r\n' });

const good: HostileRequest = { kind: 'good', bytes: Buffer.from('POST'), expects: [200], plant: FERN };
const any: HostileRequest = { kind: 'any', bytes: Buffer.from('any'), expects: [] };
const blank: HostileRequest = { kind: 'blank', bytes: Buffer.from('\r\n\r\n'), expects: [] };

/** What the judge says of an answer to framed requests and, maybe, a last one. */
const flawsOf = (
  answer: string,
  framed: readonly HostileRequest[],
  last?: HostileRequest,
  end = {},
  cuts: number[] = [],
) => {
  const conversation = { framed, last, cuts, ending: 'close', canary: undefined } as const;
  return judge(conversation, { bytes: Buffer.from(answer), ...end }).flatMap(({ flaws }) => flaws);
};

test.each([
  ['a plant', SERVED, [good], undefined],
  ['a plant after 100 Continue', `HTTP/1.1 100 Continue\r\n\r\n${SERVED}`, [good], undefined],
  ['a plant, and a refusal of what follows', SERVED + CLOSED, [good], any],
  ['two answers to what may be two requests', REFUSED + REFUSED, [], any],
  ['nothing to empty lines', '', [], blank],
])('the judge is content with %s', (_name, answer, framed, last) => {
  expect(flawsOf(answer, framed, last)).toEqual([]);
});

test.each([
  ['a 500', reply(500, { error: 50001, message: 'internal error' }), 'status 500'],
  ['a 503', reply(503, { error: 50302, message: 'overloaded' }), 'status 503'],
  ['a redirection', reply(302, { error: 40001, message: 'no' }), 'status 302'],
  ['HTML', reply(400, '<p>', { type: 'text/html' }), 'not application/json'],
  ['an empty refusal', reply(400, ''), 'no Error'],
  ['a refusal that is not JSON', reply(400, '{'), 'no Error'],
  ['an Error with a member more', reply(400, { error: 40003, message: 'no', stack: '' }), 'no Error'],
  ['an Error without a message', reply(400, { error: 40003 }), 'no Error'],
  ['an Error with an empty message', reply(400, { error: 40003, message: '' }), 'no Error'],
  ['a list', reply(400, []), 'no Error'],
  ['an error that is not in the table', reply(400, { error: 40099, message: 'no' }), 'error 40099'],
  ['an error as text', reply(400, { error: '40003', message: 'no' }), 'error 40003'],
  ['the error of another status', reply(400, { error: 41301, message: 'no' }), 'error 41301'],
  ['a 401 that does not ask', reply(401, { error: 40101, message: 'no' }), 'without www-authenticate'],
  ['a 405 that does not say what to do', reply(405, { error: 40501, message: 'no' }), 'without allow'],
  ['a 200 with an id', reply(200, { ...FERN, id: 1 }), 'no Plant'],
  ['a 200 without a name', reply(200, { tag: 'shade' }), 'no Plant'],
  ['a 200 with a tag of null', reply(200, { name: 'Fern', tag: null }), 'no Plant'],
  ['a 200 of another media type', reply(200, FERN, { type: 'text/json' }), 'not application/json'],
  ['no answer', '', 'no answer'],
  ['a header without end', 'HTTP/1.1 200 OK\r\n', 'does not end'],
  ['what is not HTTP', 'hello\r\n\r\n', 'status line'],
  ['another version of HTTP', SERVED.replace('1.1', '1.0'), 'status line'],
  ['a header field with a control character', reply(200, FERN, { fields: 'A: \u0001\r\n' }), 'header field'],
  ['a header field without a name', reply(200, FERN, { fields: ': a\r\n' }), 'header field'],
  ['a header field twice', reply(200, FERN, { fields: 'Content-Type: a\r\n' }), 'twice'],
  ['no length', SERVED.replace(/Content-Length.*\r\n/, ''), 'without its length'],
  ['a body that is cut short', SERVED.slice(0, -1), 'shorter'],
  ['more than the length says', `${SERVED}x`, 'does not end'],
  ['a 100 and no more', 'HTTP/1.1 100 Continue\r\n\r\n', 'nothing follows'],
  ['a 101', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', '101'],
  ['a reply after Connection: close', CLOSED + REFUSED, 'after Connection: close'],
])('the judge finds fault with %s', (_name, answer, fault) => {
  expect(flawsOf(answer, [], any)).toContainEqual(expect.stringContaining(fault));
});

test.each([
  ['a refusal of what must be served', REFUSED, [good], undefined, 'only 200'],
  ['another plant', reply(200, { name: 'Fern' }), [good], undefined, 'another plant'],
  ['one answer too many', SERVED + SERVED, [good], undefined, 'more answers'],
  ['one answer too few', SERVED, [good, good], undefined, 'no answer'],
  ['a second answer to one broken request', REFUSED + REFUSED, [], { ...any, expects: [40003] }, 'more'],
] satisfies [string, string, HostileRequest[], HostileRequest | undefined, string][])(
  'the judge finds fault with %s',
  (_name, answer, framed, last, fault) => {
    expect(flawsOf(answer, framed, last)).toContainEqual(expect.stringContaining(fault));
  },
);

test('the judge finds fault with a connection that does not end as it should', () => {
  expect(flawsOf(SERVED, [good], undefined, { hangs: true })).toEqual(['the connection hangs']);
  expect(flawsOf(CLOSED, [], any, { broke: 'EPIPE' })).toEqual(['the connection broke: EPIPE']);
  expect(flawsOf(SERVED, [], any, { broke: 'EPIPE' }, [1])).toEqual(['the connection broke: EPIPE']);
});

test('the judge lets a client down that has sent on after the connection was to be closed', () => {
  expect(flawsOf(CLOSED, [], any, { broke: 'EPIPE' }, [1])).toEqual([]);
});

/** Listens on a port that the system chooses, and hands over everything that a client sends before it ends its side. */
const startServer = async (answer: (bytes: Buffer, socket: Socket) => void) => {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const chunks: Buffer[] = [];
    socket.on('error', () => {}).on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => answer(Buffer.concat(chunks), socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, close: () => server.close() };
};

test('a service that fails every time is found out soon, with all it takes to see it again', async () => {
  const failing = await startServer((_bytes, socket) =>
    socket.end(reply(500, 'oops', { type: 'text/plain' })),
  );
  const flood = createFlood({ port: failing.port, seed: 7, requests: 100_000 });
  await flood.runUntil(100_000);
  failing.close();

  expect(flood.requests()).toBeLessThan(2000);
  expect(flood.found()).toBeGreaterThanOrEqual(200);
  const [finding] = flood.findings;
  expect(finding).toMatchObject({ what: 'status 500', received: expect.stringContaining('\\r\\noops') });
  const again = bytesOf(makeConversation(7, finding?.conversation ?? -1));
  expect(finding?.sent).toContain(JSON.stringify(again.toString('latin1', 0, 20)).slice(1, -1));

  const result = reportHostile({
    seed: 7,
    requests: flood.requests(),
    connections: flood.conversations(),
    seconds: 1,
    rows: flood.rows,
    canaries: { sent: 1, stored: 0 },
    memory: { warm: { heap: 20, rss: 100 }, end: { heap: 21, rss: 90 }, highestRss: 110 },
    findings: flood.findings,
    found: flood.found(),
  });
  const shown = renderReport(result);
  expect(shown).toContain(`✗ ${finding?.kind}: status 500 (conversation ${finding?.conversation})`);
  expect(shown).toContain(`… and ${flood.found() - 20} more`);
});

/** Runs a shell command with a program `nc` that prints what it gets. */
const bytesSentBy = async (command: string): Promise<Buffer> => {
  const folder = await makeFolder();
  writeFileSync(join(folder, 'nc'), '#!/bin/sh\ncat', { mode: 0o755 });
  return execFileSync('sh', ['-c', command], { env: { PATH: `${folder}:${process.env.PATH}` } });
};

const isFirstBodyBad = (bytes: Buffer): boolean => {
  const [, body = ''] = bytes.toString('latin1').split('\r\n\r\n');
  return /^\s*\{[^{}]*<script>/.test(body);
};

/** A seed whose first conversation begins with a valid plant that meets the planted fault, and goes on. */
const findSeed = (): number => {
  for (let seed = 1; ; seed += 1) {
    const { framed, last, ending } = makeConversation(seed, 0);
    const isLong = framed.length > 2 && framed[0]?.kind === 'JSON: valid' && ending === 'close';
    if (isLong && isFirstBodyBad(bytesOf({ framed, last }))) return seed;
  }
};

test('a planted fault is found, shrunk to a small request, and can be sent again', async () => {
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS: TOKEN });
  const host = '127.0.0.1';
  const faulty = await startServer((bytes, socket) => {
    if (isFirstBodyBad(bytes)) socket.end(reply(500, { error: 50001, message: 'internal error' }));
    else {
      const upstream = connect({ port: Number(new URL(service.url).port), host, allowHalfOpen: true });
      upstream.on('error', () => socket.destroy()).pipe(socket);
      upstream.end(bytes);
    }
  });
  const flood = createFlood({ port: faulty.port, seed: findSeed(), requests: 3, connections: 1 });
  try {
    await flood.runUntil(3);
  } finally {
    faulty.close();
    await service.end('SIGKILL');
  }

  const [first] = flood.findings;
  expect(first).toMatchObject({ kind: 'JSON: valid', what: 'status 500', conversation: 0 });
  const request = String(await bytesSentBy(first?.shrunk?.command ?? ''));
  expect(request.split('\r\n').slice(0, -3)).toEqual([
    'POST /plants HTTP/1.1',
    'Host: drill',
    `Authorization: Bearer ${TOKEN}`,
    'Content-Type: application/json',
  ]);
  expect(request).toMatch(/\r\n\r\n\{"id":0,"name":"(","tag":")?<script>"\}$/);
}, 120_000);

test.each([
  ['few bytes', Buffer.from('POST \'%s\\ "$(id)" `id`\r\n\0\u00e9\xff', 'latin1'), 'printf '],
  ['many bytes', Buffer.concat([Buffer.from('\0a'), Buffer.alloc(110_000, 0x20)]), 'echo '],
])('the command to send a request again sends exactly its %s', async (_name, bytes, start) => {
  const command = commandFor(bytes);
  expect(command).toMatch(new RegExp(`^${start}.{1,3000} \\| nc -N 127\\.0\\.0\\.1 3000$`));
  expect(await bytesSentBy(command)).toEqual(bytes);
});

test('a service that is gone, or has complained, is found out', async () => {
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS: 'a-token-for-the-drill' });
  expect(await findHarm(service)).toEqual([]);
  expect(await findHarm({ ...service, log: [{ level: 50, msg: 'request failed' }] })).toEqual([
    '1 complaints in the log: {"level":50,"msg":"request failed"}',
  ]);
  await service.end('SIGKILL');
  expect(await findHarm(service)).toEqual([
    `process ${service.pid} is gone`,
    '/healthz answers nothing',
    'a good create answers nothing',
  ]);
});

test('a canary that is not stored to the letter is found out', async () => {
  const file = join(await makeFolder(), 'plants.db');
  const plants = await openSqliteRepository(file);
  await plants.create({ id: 1n, name: 'Fern' });
  await plants.create({ id: 2n, name: 'Moss', tag: 'shade' });
  await plants.close();
  const asSent = [
    { id: 1n, name: 'Fern' },
    { id: 2n, name: 'Moss', tag: 'shade' },
  ];
  const otherwise = [
    { id: 1n, name: 'Fern', tag: '' },
    { id: 2n, name: 'Moss ', tag: 'shade' },
    { id: 3n, name: 'Fern' },
  ];
  expect(findAltered(file, asSent)).toEqual([]);
  expect(findAltered(file, otherwise)).toEqual(otherwise);
});

test.each([
  ['flat', { heap: 20, rss: 100 }, { heap: 23, rss: 130 }, []],
  ['less', { heap: 20, rss: 100 }, { heap: 19, rss: 90 }, []],
  ['more in use', { heap: 20, rss: 100 }, { heap: 25, rss: 105 }, ['the heap grew from 20 to 25 MiB']],
  ['more in all', { heap: 20, rss: 100 }, { heap: 20, rss: 133 }, ['memory grew from 100 to 133 MiB']],
])('memory that is %s is judged', (_name, warm, end, verdict) => {
  expect(findGrowth({ warm, end })).toEqual(verdict);
});

test('the memory of a service can be read, and cannot once it is gone', async () => {
  const service = await startProcess(await makeFolder(), WITH_COLLECTOR);
  const level = await readLevel(service);
  const rss = await readRss(service.pid);
  expect(level.heap).toBeGreaterThan(1);
  expect(level.rss).toBeGreaterThan(level.heap);
  expect(rss).toBeGreaterThan(level.heap);

  await service.end();
  expect(await readRss(service.pid)).toBeNaN();
  expect(findGrowth({ warm: level, end: await readLevel(service) })).toHaveLength(2);
});
