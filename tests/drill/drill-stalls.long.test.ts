import { once } from 'node:events';
import { createServer } from 'node:http';
import { createChance } from '../../scripts/drill/chance.ts';
import { renderReport } from '../../scripts/drill/report.ts';
import { BODY_LIMIT, CLASSES, HEAD_LIMIT } from '../../scripts/drill/stalls/cases.ts';
import { startChild } from '../../scripts/drill/stalls/child.ts';
import { runStalls } from '../../scripts/drill/stalls/drill.ts';
import { type GoodClients, startGoodClients } from '../../scripts/drill/stalls/good-clients.ts';
import { judge, type Measured, measure } from '../../scripts/drill/stalls/measure.ts';
import { startProcess } from '../../scripts/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();
const OPTIONS = { rounds: 1, requests: 1, seed: 43, report: () => {} };

test.each([
  ['requests that could stall do not', 'JSON for /', 'JSON for /plants', 2],
  [
    'readers of events do not keep creates waiting, and leave no stream open',
    'readers of events #',
    'streams that stay',
    1,
  ],
  [
    'hostile crowds come and go, and good clients are served beside them',
    'hostile crowds: 500 slow ones',
    'hostile crowds',
    1,
  ],
])(
  '%s',
  async (_what, only, title, cases) => {
    const result = await runStalls({ ...OPTIONS, only });
    expect(result.findings).toEqual([]);
    expect(result.rows[0]?.slice(0, 2)).toEqual([title, cases]);
    expect(renderReport(result)).toMatch(/seed 43[\s\S]*findings {3}none$/);
  },
  60_000,
);

const everyCase = (seed: number) =>
  Object.entries(CLASSES).flatMap(([title, cases]) =>
    Object.entries(cases).map(([name, make]) => {
      const chance = createChance(seed, name);
      const { bytes } = make(chance);
      return { name: `${title}: ${name}, ${chance.note()}`, bytes };
    }),
  );

const asText = (seed: number): string[] =>
  everyCase(seed).map(({ name, bytes }) => `${name} ${bytes.toString('latin1')}`);

test('the same seed makes the same requests, another seed makes others', () => {
  const once = asText(1);
  expect(asText(1).filter((text, nth) => text !== once[nth])).toEqual([]);
  expect(asText(2).filter((text, nth) => text !== once[nth]).length).toBeGreaterThan(once.length / 2);
});

test('what is sent stays within what the service reads', () => {
  const beyond = [3, 4, 5, 6, 7].flatMap(everyCase).filter(({ bytes }) => {
    const head = bytes.indexOf('\r\n\r\n') + 4;
    return head >= HEAD_LIMIT || bytes.length - head > BODY_LIMIT;
  });
  expect(beyond.map(({ name }) => name)).toEqual([]);
});

const seen = (slowest: number, failures: readonly number[] = []) => ({ slowest, answered: 9, failures });
const waited = (health: number, creates = 5) => ({ '/healthz': seen(health), creates: seen(creates) });
const REPLY = { status: 400, milliseconds: 40, broke: undefined };
const FINE: Measured = { reply: REPLY, good: waited(30), idle: waited(3), busy: 5000, memory: 20 };

test.each<[string, Partial<Measured>, string[]]>([
  ['a refusal in time', {}, []],
  ['a crowd that reads no answers', { reply: undefined }, []],
  ['a busy machine', { good: waited(900), idle: waited(700) }, []],
  ['a machine that is busy with others', { good: waited(900), busy: 120 }, []],
  [
    'a /healthz that waited',
    { good: waited(400), busy: 410 },
    ['/healthz waited 400 ms (an idle service: 3 ms), busy for 410 ms'],
  ],
  [
    'a create that waited',
    { good: waited(9, 400) },
    ['creates waited 400 ms (an idle service: 5 ms), busy for 5000 ms'],
  ],
  [
    'a good client that was not served',
    { good: { ...waited(9), creates: seen(9, [0, 503, 503]) } },
    ['3 creates failed (0, 503)'],
  ],
  ['a 500', { reply: { ...REPLY, status: 500 } }, ['status 500']],
  ['a 503', { reply: { ...REPLY, status: 503 } }, ['status 503']],
  [
    'no answer in time',
    { reply: { status: undefined, milliseconds: 10_001, broke: 'no answer in time' } },
    ['no answer within 10 s'],
  ],
  [
    'a reset',
    { reply: { status: undefined, milliseconds: 5, broke: 'ECONNRESET' } },
    ['no answer: ECONNRESET'],
  ],
  ['memory', { memory: 151 }, ['151 MiB more memory']],
  ['a process that is gone', { memory: Number.NaN }, ['the process is gone']],
  ['streams that nobody reads', { left: 2 }, ['2 streams are open after their clients have left']],
])('the judge looks at %s', (_name, change, flaws) => {
  expect(judge({ ...FINE, ...change })).toEqual(flaws);
});

test('the judge allows a case the memory that it asks for', () => {
  expect(judge({ ...FINE, memory: 170 }, { memory: 180 })).toEqual([]);
  expect(judge({ ...FINE, memory: 70 }, { memory: 64 })).toEqual(['70 MiB more memory']);
});

test('the judge lets a good client wait for longer beside a crowd', () => {
  expect(judge({ ...FINE, good: waited(900) }, { crowds: [] })).toEqual([]);
  expect(judge({ ...FINE, good: waited(1100) }, { crowds: [] })).toHaveLength(1);
});

/** Keeps the processor busy, however much else there is for it to do. */
const work = (milliseconds: number): void => {
  const used = () => process.cpuUsage().user + process.cpuUsage().system;
  const end = used() + milliseconds * 1000;
  while (used() < end);
};

test('a service that stalls, or fills its memory, is found out beside one that is idle', async () => {
  const kept: Buffer[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/stall') work(350);
    if (request.url === '/fill') kept.push(Buffer.alloc(300 * 2 ** 20, 1));
    response.end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const crowds = startChild(new URL('../../scripts/drill/stalls/crowds.ts', import.meta.url));
  const service = await startProcess(await makeFolder(), { ACCESS_TOKENS: 'a-token' });
  const good = await startGoodClients(`http://127.0.0.1:${port}`, ['/healthz']);
  const idle = await startGoodClients(service.url, ['/healthz']);
  const ask = (path: string) => {
    const target = { service: { pid: process.pid, end: async () => 0 }, port, good };
    const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return measure(target, idle, crowds, { to: 'hard', bytes });
  };
  try {
    const stalled = await ask('/stall');
    expect(stalled.reply?.status).toBe(200);
    expect(judge(stalled)).toContainEqual(expect.stringContaining('/healthz waited'));
    expect(judge(await ask('/fill'))).toContainEqual(expect.stringContaining('MiB more memory'));
  } finally {
    await Promise.all([good.end(), idle.end(), crowds.end(), service.end('SIGKILL')]);
    server.closeAllConnections();
    server.close();
  }
}, 60_000);

/** Asks until what the good clients have seen is as it should be. */
const untilSeen = async (good: GoodClients, expected: object): Promise<object> => {
  for (const end = Date.now() + 20_000; ; ) {
    const read = await good.read();
    const told = { creates: read.creates, health: read['/healthz'] };
    try {
      expect(told).toMatchObject(expected);
      return told;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
};

test('the good clients tell of a server that is slow, and of one that refuses', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') response.writeHead(503, { 'Content-Length': 0 }).end();
    else setTimeout(() => response.end('{}'), 300);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const good = await startGoodClients(url);
  try {
    const told = await untilSeen(good, { creates: { answered: 3, failures: [] }, health: { answered: 0 } });
    expect(Object(told).creates.slowest).toBeGreaterThan(250);
    expect(new Set(Object(told).health.failures)).toEqual(new Set([503]));
  } finally {
    await good.end();
    server.closeAllConnections();
    server.close();
  }
}, 60_000);
