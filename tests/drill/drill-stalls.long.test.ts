import { once } from 'node:events';
import { createServer } from 'node:http';
import { startGoodClients } from '../../scripts/drill/measure/good-clients.ts';
import { renderReport } from '../../scripts/drill/report.ts';
import { makeCase } from '../../scripts/drill/stalls/case.ts';
import { CLASSES } from '../../scripts/drill/stalls/classes.ts';
import { reportStalls, runStallsDrill, type StallResult } from '../../scripts/drill/stalls/drill.ts';
import { judge, type Measured, measure } from '../../scripts/drill/stalls/measure.ts';
import { BODY_LIMIT, HEAD_LIMIT } from '../../scripts/drill/stalls/texts.ts';
import { startProcess } from '../../scripts/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();

test('requests that could stall do not, and are counted', async () => {
  const options = { rounds: 1, seed: 41, only: 'names and texts', report: () => {} };
  const result = await runStallsDrill(options);
  expect(result.findings).toEqual([]);
  expect(result.rows).toEqual([
    expect.objectContaining({ title: 'names and texts', findings: 0, skipped: 0 }),
  ]);
  expect(result.rows[0]?.cases).toBeGreaterThan(4);
  expect(renderReport(reportStalls(result))).toMatch(/seed 41[\s\S]*findings {3}none$/);
}, 60_000);

test('a crowd that pipelines does not make /healthz wait', async () => {
  const options = { rounds: 1, seed: 43, only: 'crowds that pipeline: creates #', report: () => {} };
  const { rows, findings } = await runStallsDrill(options);
  expect(findings).toEqual([]);
  expect(rows).toMatchObject([{ title: 'crowds that pipeline', cases: 1, skipped: 0 }]);
}, 60_000);

const everyCase = (seed: number) =>
  CLASSES.flatMap(({ title, cases }) =>
    Object.entries(cases).map(([name, make]) => ({
      name: `${title}: ${name}`,
      made: makeCase(make, seed),
    })),
  );

const asText = (seed: number): string[] =>
  everyCase(seed).map(({ name, made }) => `${name} ${made.note} ${made.bytes.toString('latin1')}`);

test('the same seed makes the same requests, another seed makes others', () => {
  const once = asText(1);
  expect(asText(1).filter((text, nth) => text !== once[nth])).toEqual([]);
  expect(asText(2).filter((text, nth) => text !== once[nth]).length).toBeGreaterThan(50);
});

test('what is sent stays within what the service reads', () => {
  const beyond = [3, 4].flatMap(everyCase).filter(({ made: { bytes } }) => {
    const head = bytes.indexOf('\r\n\r\n') + 4;
    return head >= HEAD_LIMIT || bytes.length - head > BODY_LIMIT;
  });
  expect(beyond.map(({ name, made }) => `${name}: ${made.note}`)).toEqual([]);
});

const waited = (max: number) => ({ count: 9, p50: 1, p99: max, max });
const FINE: Measured = {
  answer: { status: 400, milliseconds: 40, broke: undefined },
  probes: waited(30),
  idle: waited(3),
  busy: 5000,
  memory: 20,
};

test.each<[string, Partial<Measured>, string[]]>([
  ['a refusal in time', {}, []],
  ['a busy machine', { probes: waited(900), idle: waited(700) }, []],
  ['a machine that is busy with others', { probes: waited(900), busy: 120 }, []],
  [
    'a probe that waited',
    { probes: waited(400), busy: 410 },
    ['/healthz waited 400 ms (an idle service: 3 ms), busy for 410 ms'],
  ],
  ['a 500', { answer: { ...FINE.answer, status: 500 } }, ['status 500']],
  ['a 503', { answer: { ...FINE.answer, status: 503 } }, ['status 503']],
  [
    'no answer in time',
    { answer: { status: undefined, milliseconds: 10_001, broke: 'no answer in time' } },
    ['no answer within 10 s'],
  ],
  [
    'a reset',
    { answer: { status: undefined, milliseconds: 5, broke: 'ECONNRESET' } },
    ['no answer: ECONNRESET'],
  ],
  ['memory', { memory: 151 }, ['151 MiB more memory']],
  ['a process that is gone', { memory: Number.NaN }, ['the process is gone']],
])('the judge looks at %s', (_name, change, flaws) => {
  expect(judge({ ...FINE, ...change })).toEqual(flaws);
});

test('the judge knows which answers are right, where only some are', () => {
  expect(judge(FINE, [400])).toEqual([]);
  expect(judge({ ...FINE, answer: { ...FINE.answer, status: 503 } }, [200, 503])).toEqual([]);
  expect(judge(FINE, [200, 431])).toEqual(['status 400, where only 200 or 431 is right']);
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
  const probes = startGoodClients();
  const idle = await startProcess(await makeFolder(), { ACCESS_TOKENS: 'a-token' });
  const ask = (path: string) => {
    const target = { service: { pid: process.pid, end: async () => 0 }, port };
    const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return measure(target, probes, { to: 'hard', bytes });
  };
  try {
    await probes.start('idle', 'probe', idle.url);
    await probes.start('hard', 'probe', `http://127.0.0.1:${port}`);
    const stalled = await ask('/stall');
    expect(stalled.answer.status).toBe(200);
    expect(judge(stalled)).toContainEqual(expect.stringContaining('/healthz waited'));
    expect(judge(await ask('/fill'))).toContainEqual(expect.stringContaining('MiB more memory'));
  } finally {
    await Promise.all([probes.end(), idle.end('SIGKILL')]);
    server.closeAllConnections();
    server.close();
  }
}, 60_000);

test('a finding is told with what it takes to see it again', () => {
  const row = {
    cases: 4,
    skipped: 1,
    slowestProbe: 400,
    slowestIdle: 3,
    slowestAnswer: 401,
    memory: 9,
    findings: 1,
  };
  const result: StallResult = {
    seed: 7,
    rounds: 5,
    seconds: 1,
    rows: [{ title: 'formats', ...row }],
    findings: [{ name: 'formats: url #1', note: '9 × ":"', what: ['status 500', '/healthz waited 400 ms'] }],
  };
  const shown = renderReport(reportStalls(result));
  expect(shown).toContain('✗ formats: url #1: status 500; /healthz waited 400 ms\n  9 × ":"');
  expect(shown).toContain('4 (1 skipped)');
  expect(shown).toContain('--seed 7 --rounds 5 --only');
});
