import { spawnSync } from 'node:child_process';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { buildServers } from '../../scripts/bench/build.ts';
import { CREATES, NAME, TAG } from '../../scripts/bench/creates.ts';
import { hasWrk, type Load, loadByWrk } from '../../scripts/bench/load.ts';
import { IDS, type Plan, STEP, TOKEN } from '../../scripts/bench/plan.ts';
import { CREATE_RATIOS, renderRatios, renderStandings } from '../../scripts/bench/report.ts';
import { runRound, type Subject } from '../../scripts/bench/round.ts';
import { runRounds, spreadOf } from '../../scripts/bench/rounds.ts';
import { ENTRIES, openSqlite, toContender } from '../../scripts/bench/subjects.ts';

// Nothing here measures time, but processes take long to start on a busy machine.
jest.setTimeout(300_000);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OPTIONS = { connections: 4, seconds: 1, bytes: 0 };
const REQUESTS = 200;
const testWithWrk = hasWrk() ? test : test.skip;

beforeAll(() => buildServers());

const post = (plan: Plan, agent: Agent, body: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { url, path, method, headers } = plan;
    request(
      url + path,
      { method, headers: { ...headers, 'Content-Length': body.length }, agent },
      (response) => {
        let text = `${response.statusCode} `;
        response.on('data', (chunk: Buffer) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      },
    )
      .once('error', reject)
      .end(body);
  });

/** Makes the ids that wrk.lua makes. */
const createIds = (from: number) => {
  let spread = from;
  return (): number => {
    spread = (spread + STEP) % IDS.range;
    return IDS.least + spread;
  };
};

/** A load that needs no installed program: a fixed number of creates, however long they take. */
const sendSome: Load = async (plan) => {
  const agent = new Agent({ keepAlive: true, maxSockets: plan.connections });
  const nextId = createIds(plan.from);
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, () => post(plan, agent, plan.body.replace('{n}', `${nextId()}`))),
  );
  agent.destroy();
  const wrong = answers.filter((answer) => answer !== `${plan.status} ${plan.expected}`).length;
  return { answers: REQUESTS, wrong, errors: 0, seconds: 1, p50: 1, p99: 2 };
};

test('the service and the limit are measured, their answers are checked, and the results are in a table', async () => {
  const entries = ENTRIES.filter(({ name }) => name === 'ours' || name === 'limit');
  const told: string[] = [];
  const standings = await runRounds(
    entries.map((entry) => toContender(entry, CREATES, openSqlite, OPTIONS, sendSome)),
    { rounds: 1, report: (text) => told.push(text) },
  );
  expect(standings.map(({ name, rounds, voided }) => ({ name, rounds, voided }))).toEqual([
    { name: 'limit', rounds: 1, voided: [] },
    { name: 'ours', rounds: 1, voided: [] },
  ]);
  expect(told).toHaveLength(2);
  const [header, , limit, ours] = renderStandings('4 connections', standings).split('\n');
  expect(header).toMatch(/^\| 4 connections +\| rounds \| +requests\/s \| p50 ms \|/);
  expect(limit).toMatch(/^\| the limit: node:http by hand \| +1 \| 200 \(200–200\) \| +1\.0 \|/);
  expect(ours).toMatch(/^\| this service +\| +1 \| 200 \(200–200\) \| +1\.0 \|/);
  expect(renderRatios(standings, CREATE_RATIOS)).toMatch(
    /^\| this service \/ the limit +\| +1\.00 \| at least 0\.82 \| yes \|$/m,
  );
  if (process.platform === 'linux')
    for (const { measurements } of standings) {
      expect(measurements.readyMs?.median).toBeGreaterThan(20);
      expect(measurements.restingMiB?.median).toBeGreaterThan(20);
      expect(measurements.peakMiB?.median).toBeGreaterThan(20);
      expect(measurements.cpu?.median).toBeGreaterThan(0);
    }
});

type Answer = readonly [status: number, body: object];

/** A server in this process that does everything right, except where a test changes its answers. */
const createSubject = (change: (answer: Answer, stored: Map<number, string>) => Answer): Subject => {
  const stored = new Map<number, string>();
  const answer = (authorization: string | undefined, text: string): Answer => {
    if (authorization !== `Bearer ${TOKEN}`) return [401, { error: 40102, message: 'no' }];
    const { id, name, tag } = text.endsWith('}') ? JSON.parse(text) : {};
    if (typeof name !== 'string') return [400, { error: 40002, message: 'no' }];
    const plant = { name, tag };
    if (stored.has(id) && stored.get(id) !== JSON.stringify(plant))
      return [409, { error: 40901, message: 'no' }];
    stored.set(id, JSON.stringify(plant));
    return [200, plant];
  };
  return {
    countRows: async () => stored.size,
    start: async () => {
      const server = createServer(async (incoming, response) => {
        let text = '';
        for await (const chunk of incoming) text += chunk;
        const [status, body] = change(answer(incoming.headers.authorization, text), stored);
        response.writeHead(status).end(JSON.stringify(body));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      return {
        url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
        pid: process.pid,
        stop: async () => {
          server.closeAllConnections();
          server.close();
        },
      };
    },
  };
};

/** Whether more plants are stored than one load and the requests before it leave behind. */
const isMany = (stored: Map<number, string>) => stored.size > REQUESTS + 1;

test.each<[what: string, change: Parameters<typeof createSubject>[0], wrong: string[]]>([
  ['does everything right counts', (answer) => answer, []],
  [
    'answers 200 to whatever it is asked is void',
    () => [200, { name: NAME, tag: TAG }],
    [409, 400, 400, 400, 401, 401].map(() => expect.stringMatching(/^a.* is answered 200 \{"name"/)),
  ],
  [
    'has errors of another shape is void',
    ([status, body]) => [status, status === 409 ? { message: 'no' } : body],
    ['another plant under its id is answered 409 {"message":"no"}'],
  ],
  [
    'answers wrongly under load is void',
    ([status, body], stored) => [status, stored.size % 50 === 0 ? { name: 'Fern' } : body],
    ['warm-up: 4 of 200 answers were wrong', 'load: 4 of 200 answers were wrong'],
  ],
  [
    'refuses under load is void',
    (answer, stored) => (isMany(stored) ? [503, { error: 50302, message: 'no' }] : answer),
    ['load: 200 of 200 answers were wrong'],
  ],
  [
    'acknowledges a write without storing it is void',
    (answer, stored) => {
      if (isMany(stored)) stored.clear();
      return answer;
    },
    ['400 writes were acknowledged, 199 were stored'],
  ],
])('a server that %s', async (_what, change, wrong) => {
  const round = await runRound(createSubject(change), CREATES, sendSome, OPTIONS);
  expect(round.wrong).toEqual(wrong);
});

testWithWrk('wrk counts wrong answers and sends each id once', async () => {
  const right = await runRound(
    createSubject((answer) => answer),
    CREATES,
    loadByWrk,
    OPTIONS,
  );
  expect(right.wrong).toEqual([]);
  expect(right.measurements?.rate).toBeGreaterThan(10);
  const liar = createSubject(([status, body], stored) => [status, stored.size % 5 === 0 ? {} : body]);
  const { wrong } = await runRound(liar, CREATES, loadByWrk, OPTIONS);
  expect(wrong).toEqual([
    expect.stringMatching(/^warm-up: \d+ of \d+ answers were wrong$/),
    expect.stringMatching(/^load: \d+ of \d+ answers were wrong$/),
  ]);
});

test('ids cover the whole range, have one length, and never repeat, not even in the next load', () => {
  const idsOf = (nth: number) => {
    const nextId = createIds(CREATES.plan('', nth, OPTIONS).from);
    return Array.from({ length: 10_000 }, nextId);
  };
  const ids = [...idsOf(1), ...idsOf(2), ...idsOf(3)];
  expect(new Set(ids).size).toBe(30_000);
  expect(new Set(ids.map((id) => `${id}`.length))).toEqual(new Set([15]));
  expect(new Set(ids.map((id) => Math.floor(id / 1e14)))).toEqual(new Set([1, 2, 3]));
});

test('a body has the requested size', () => {
  const { body } = CREATES.plan('', 1, { ...OPTIONS, bytes: 10_240 });
  expect(body.replace('{n}', '100000000000001')).toHaveLength(10_240);
});

test('the median is the middle value, or the mean of the middle two', () => {
  expect(spreadOf([9, 1, 2])).toEqual({ median: 2, least: 1, most: 9 });
  expect(spreadOf([4, 1, 2, 9])).toEqual({ median: 3, least: 1, most: 9 });
  expect(spreadOf([])).toBeUndefined();
});

test('a ratio is met at its bound or beyond, and is not shown if it was not measured', () => {
  const standing = (name: string, rate: number) => ({
    ...{ name, title: name, rounds: 1, voided: [] },
    measurements: { rate: { median: rate, least: rate, most: rate } },
  });
  const render = (rate: number, bounds: { atLeast?: number; atMost?: number }) =>
    renderRatios(
      [standing('one', rate), standing('other', 100)],
      [{ what: 'a', of: ['one', 'other'], ...bounds }],
    );
  expect(render(80, { atLeast: 0.8 })).toMatch(/ 0\.80 \| at least 0\.8 \| yes \|$/);
  expect(render(79, { atLeast: 0.8 })).toMatch(/ 0\.79 \| at least 0\.8 \| +NO \|$/);
  expect(render(150, { atMost: 1.5 })).toMatch(/ 1\.50 \| +at most 1\.5 \| yes \|$/);
  expect(render(151, { atMost: 1.5 })).toMatch(/ 1\.51 \| +at most 1\.5 \| +NO \|$/);
  expect(renderRatios([standing('one', 1)], [{ what: 'a', of: ['one', 'other'] }])).toBe('');
});

const bench = (...args: string[]) =>
  spawnSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/tsx/dist/cli.mjs'),
      '--conditions=source',
      join(ROOT, 'scripts/bench.ts'),
      ...args,
    ],
    { encoding: 'utf8' },
  );

test.each([
  [['--only', 'ours,koa'], /^--only: there is no koa; there are limit, ours, workers, fastify, /],
  [['--rounds', '0'], /^--rounds must be a whole number from 1 to 1000, not "0"/],
  [['--before', '/nowhere'], /^--before: \/nowhere has no dist\/bin\/main.js; run `npm run build` there/],
  [['growth'], /^there is no benchmark growth, only conduit/],
  [
    ['conduit', '--only', 'get,ours,koa'],
    /^--only: there is no koa; there are get, list, tag, create, favorite, ours, /,
  ],
])('%j is refused with the remedy', (args, message) => {
  const { status, stderr } = bench(...args);
  expect(status).toBe(1);
  expect(stderr).toMatch(message);
});

testWithWrk('the command prints the table and the ratio', () => {
  const run = bench('--only', 'ours,limit', '--rounds', '1', '--seconds', '2', '--before', ROOT);
  expect(run).toMatchObject({ status: 0 });
  expect(run.stderr).toMatch(/round 1 of 1 {2}this service: rate [\d,]+, p50 /);
  expect(run.stdout).toMatch(/\| this service +\| +1 \| +[\d,]+ \(/);
  expect(run.stdout).toMatch(/\| this service \/ the limit +\| +\d\.\d\d \| at least 0\.82 \|/);
  expect(run.stdout).toMatch(/\| this service \/ the other build +\| +\d\.\d\d \|/);
});
