import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { reportCrowd, runCrowdDrill } from '../../scripts/drill/crowd/drill.ts';
import { type CrowdReport, judgeCrowd, judgePhase, type Phase } from '../../scripts/drill/crowd/judge.ts';
import { isDone, startChild } from '../../scripts/drill/measure/child.ts';
import { startGoodClients } from '../../scripts/drill/measure/good-clients.ts';
import { summarize, withMissing } from '../../scripts/drill/measure/latency.ts';
import { renderReport } from '../../scripts/drill/report.ts';

test('a good client is served beside a small crowd, and everything about it is measured', async () => {
  const sizes = { neverRead: 3, endless: 2, slow: 4, contract: 5, clients: 20 };
  const result = await runCrowdDrill({ seconds: 0.5, sizes, report: () => {} });
  expect(result.phases.map(({ title }) => title)).toEqual([
    'nobody',
    '3 that never read',
    '2 endless bodies',
    '4 slow ones',
    'all of these',
    '5 that ask for 1 MB and never read',
    '20 good clients',
  ]);
  for (const { creates, health, idle, memory } of result.phases) {
    expect([creates.failures, health.failures]).toEqual([0, 0]);
    expect(health.answered).toBeGreaterThan(1);
    expect(idle.creates.answered).toBeGreaterThan(1);
    expect(memory.max).toBeGreaterThan(10);
  }
  expect(result.crowd.served.count).toBeGreaterThan(20);
  expect(renderReport(reportCrowd(result))).toMatch(/20 good clients[\s\S]*findings {3}/);
}, 180_000);

const latency = (max: number, count = 99) => ({ count, p50: 1, p99: max, max });
const seen = (max: number, failures = 0, statuses: number[] = []) => ({
  ...latency(max),
  answered: 99,
  failures,
  statuses,
});
const CALM: Phase = {
  title: 'nobody',
  maxWait: 250,
  creates: seen(9),
  health: seen(9),
  idle: { creates: seen(5), health: seen(5) },
  memory: { before: 90, max: 120, after: 100 },
};

test.each<[string, Partial<Phase>, string[]]>([
  ['a calm phase', {}, []],
  ['a busy machine', { creates: seen(800), idle: { creates: seen(700), health: seen(5) } }, []],
  ['slow creates', { creates: seen(400) }, ['p99 of creates is 400 ms (an idle service: 5 ms)']],
  ['slow /healthz', { health: seen(400) }, ['p99 of /healthz is 400 ms (an idle service: 5 ms)']],
  ['failures', { creates: seen(9, 3, [0, 503]) }, ['3 creates failed (0, 503)']],
  ['memory', { memory: { before: 90, max: 300, after: 90 } }, ['memory grew from 90 to 300 MiB']],
])('the judge of a crowd looks at %s', (_name, change, flaws) => {
  expect(judgePhase({ ...CALM, ...change })).toEqual(flaws);
});

const SERVED: CrowdReport = {
  served: latency(900),
  connects: latency(100),
  waiting: latency(500),
  refused: 99,
  unanswered: 0,
  unconnected: 0,
  wrong: 0,
};

test.each<[string, Partial<CrowdReport>, Partial<Phase>, string]>([
  ['those who are served late', { served: latency(14_000) }, {}, 'p99 of those served is 14000 ms'],
  ['those who wait for ever', { waiting: latency(9000) }, {}, 'the longest wait at the end is 9000 ms'],
  ['handshakes', { connects: latency(3000) }, {}, 'the longest handshake took 3000 ms'],
  ['those who are dropped', { unanswered: 2 }, {}, '2 requests were left unanswered'],
  ['those who do not get in', { unconnected: 2 }, {}, '2 connections failed'],
  ['odd answers', { wrong: 1 }, {}, '1 answers were neither 200 nor 503'],
  ['/healthz', {}, { health: seen(1500) }, 'the longest /healthz took 1500 ms'],
  ['/healthz that fails', {}, { health: seen(9, 1, [503]) }, '1 /healthz failed (503)'],
  ['memory', {}, { memory: { before: 90, max: 300, after: 90 } }, 'memory grew from 90 to 300 MiB'],
])('the judge of a crowd of good clients looks at %s', (_name, change, phase, flaw) => {
  expect(judgeCrowd(SERVED, CALM)).toEqual([]);
  expect(judgeCrowd({ ...SERVED, ...change }, { ...CALM, ...phase })).toEqual([
    expect.stringContaining(flaw),
  ]);
});

const startServer = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, url: `http://127.0.0.1:${port}`, close };
};

const isAnything = (_answer: unknown): _answer is unknown => true;

/** Asks until what is told is as it should be. */
const until = async (ask: () => Promise<unknown>, expected: unknown): Promise<void> => {
  for (const end = Date.now() + 20_000; ; ) {
    const told = await ask();
    try {
      return expect(told).toMatchObject(Object(expected));
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
};

test('the good client tells of a server that is slow, and of one that refuses', async () => {
  const server = await startServer((request, response) => {
    if (request.url === '/healthz') response.writeHead(503).end();
    else setTimeout(() => response.end('{}'), 300);
  });
  const clients = startGoodClients();
  try {
    await clients.start('creates', 'creates', server.url);
    await clients.start('health', 'health', server.url);
    let told: unknown;
    const ask = async () => {
      told = await clients.read();
      return told;
    };
    await until(ask, { creates: { answered: 3 }, health: { answered: 0, statuses: [503] } });
    expect(told).toMatchObject({ creates: { failures: 0 } });
    expect(Object(told).creates.max).toBeGreaterThan(250);
  } finally {
    await clients.end();
    server.close();
  }
}, 60_000);

test('the crowd tells of a server that drops some, refuses some, and lets some wait', async () => {
  let asked = 0;
  const server = await startServer((request, response) => {
    asked += 1;
    if (asked % 4 === 0) request.socket.destroy();
    else if (asked % 4 === 1) response.writeHead(503).end();
    else if (asked % 4 === 2) response.end();
  });
  const clients = startChild(new URL('../../scripts/drill/crowd/closed-loop.ts', import.meta.url));
  try {
    await clients.ask(['start', 20, server.port], isDone);
    while (asked < 30) await new Promise((resolve) => setTimeout(resolve, 5));
    const told = await clients.ask(['stop'], isAnything);
    expect(told).toMatchObject({ wrong: 0, unconnected: 0 });
    for (const name of ['refused', 'unanswered']) expect(Object(told)[name]).toBeGreaterThan(1);
    expect(Object(told).served.count).toBeGreaterThan(1);
    expect(Object(told).waiting.count).toBeGreaterThan(1);
  } finally {
    await clients.end();
    server.close();
  }
}, 60_000);

test('whoever waits long is counted as often as it would have asked meanwhile', () => {
  expect(withMissing([4, 9], 10)).toEqual([4, 9]);
  expect(withMissing([4, 35], 10)).toEqual([4, 35, 25, 15, 5]);
  expect(summarize([])).toEqual({ count: 0, p50: 0, p99: 0, max: 0 });
  expect(summarize([3, 1, 2])).toEqual({ count: 3, p50: 2, p99: 3, max: 3 });
});
