import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { bytesOf, makeConversation, type Sent } from '../../scripts/drill/hostile/conversation.ts';
import { findHarm, runHostile } from '../../scripts/drill/hostile/drill.ts';
import { createFlood } from '../../scripts/drill/hostile/flood.ts';
import { judge } from '../../scripts/drill/hostile/judge.ts';
import { BROKEN, FRAMED } from '../../scripts/drill/hostile/requests.ts';
import { TOKEN } from '../../scripts/drill/plant-store.ts';
import { renderReport } from '../../scripts/drill/report.ts';
import { findGrowth, readLevel, readRss, WITH_COLLECTOR } from '../../scripts/support/memory.ts';
import { startProcess } from '../../scripts/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();

test('some thousand hostile requests find nothing', async () => {
  const told: string[] = [];
  const report = (text: string) => told.push(text);
  const result = await runHostile({ requests: 8000, rounds: 1, seed: 41, report }, 4);

  expect(result.findings).toEqual([]);
  const all = [...Object.keys({ ...FRAMED, ...BROKEN }), 'all of them'];
  expect(new Set(result.rows.map(([kind]) => kind))).toEqual(new Set(all));
  for (const [, sent, served, refused] of result.rows) {
    expect(sent).toBeGreaterThan(0);
    expect(Number(served) + Number(refused)).toBeGreaterThan(0);
  }
  expect(told.join('\n')).toMatch(/\d+ of 8000 requests, 0 findings/);
  expect(renderReport(result)).toMatch(
    /seed 41: 8,0\d\d requests[\s\S]*plants {5}([\d,]+) of \1 are[\s\S]*findings {3}none$/,
  );
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
const SENT = { id: 7n, ...FERN };
const SERVED = reply(200, FERN);
const REFUSED = reply(400, { error: 40003, message: 'no' });
const CLOSED = reply(400, { error: 40003, message: 'no' }, { fields: 'Connection: close\r\n' });

const good: Sent = { kind: 'good', bytes: Buffer.from('POST'), expects: [200], plant: SENT };
const any: Sent = { kind: 'any', bytes: Buffer.from('any'), expects: [] };
const blank: Sent = { kind: 'blank', bytes: Buffer.from('\r\n\r\n'), expects: [] };

/** What the judge says of an answer to framed requests and, maybe, a last one. */
const flawsOf = (answer: string, framed: readonly Sent[], last?: Sent, end = {}, cuts: number[] = []) => {
  const conversation = { framed, last, cuts, isReset: false } as const;
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
] satisfies [string, string, Sent[], Sent | undefined, string][])(
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

const quiet = () => {};

test('a service that fails every time is found out soon, with all it takes to see it again', async () => {
  const failing = await startServer((_bytes, socket) =>
    socket.end(reply(500, 'oops', { type: 'text/plain' })),
  );
  const flood = createFlood({ port: failing.port, seed: 7 });
  await flood.runUntil(100_000, quiet);
  const again = createFlood({ port: failing.port, seed: 7 });
  const [first = ''] = flood.findings;
  await again.sendOnly(Number(/--only (\d+)$/.exec(first)?.[1]));
  failing.close();

  expect(flood.counts.requests).toBeLessThan(2000);
  expect(flood.counts.found).toBeGreaterThanOrEqual(200);
  expect(flood.findings).toHaveLength(20);
  expect(first).toMatch(/: status 500\n {2}sent .*\n {2}received .*\\r\\noops\n {2}again .*--seed 7 --only/);
  expect(again.findings).toContain(first);
});

const hasScript = (bytes: Buffer): boolean => bytes.includes('"<script>');

test('a fault in one of thousands of requests is found', async () => {
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS: TOKEN });
  const host = '127.0.0.1';
  const faulty = await startServer((bytes, socket) => {
    if (hasScript(bytes)) socket.end(reply(500, { error: 50001, message: 'internal error' }));
    else {
      const upstream = connect({ port: Number(new URL(service.url).port), host, allowHalfOpen: true });
      upstream.on('error', () => socket.destroy()).pipe(socket);
      upstream.end(bytes);
    }
  });
  const flood = createFlood({ port: faulty.port, seed: 41, connections: 2 });
  try {
    await flood.runUntil(300, quiet);
  } finally {
    faulty.close();
    await service.end('SIGKILL');
  }
  expect(flood.counts.found).toBeGreaterThan(0);
  for (const finding of flood.findings) expect(finding).toMatch(/sent .*<script>/);
}, 120_000);

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
