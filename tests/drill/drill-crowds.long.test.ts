import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Crowd } from '../../scripts/drill/faults/crowd-connections.ts';
import { CROWDS, crowdsOf } from '../../scripts/drill/faults/crowds.ts';
import { drill } from '../../scripts/drill/faults/drill.ts';
import { SUBJECTS } from '../../scripts/drill/faults/faults.ts';
import { findBroken } from '../../scripts/drill/faults/report.ts';
import type { Fault } from '../../scripts/drill/faults/scene.ts';
import { PLANTS } from '../../scripts/drill/subjects/plants.ts';

const OPTIONS = { rounds: 1, seed: 43, report: () => {} };

test.each([
  ['streams-events', 'warehouse'],
  ['crowd-slow', 'plants'],
  ['crowd-endless', 'warehouse'],
])(
  '%s at the %s come and go, good clients are served beside them, and nothing is left of them',
  async (which, whose) => {
    const [fault] = CROWDS.filter(({ name }) => name === which);
    const [subject] = SUBJECTS.filter(({ name }) => name === whose);
    const result = fault && subject && (await drill(fault, subject, OPTIONS));
    expect(result && findBroken(result)).toEqual([]);
    expect(result?.waits).toHaveLength(1);
  },
  180_000,
);

/** Keeps the processor busy, however much else there is for it to do. */
const work = (milliseconds: number): void => {
  const used = () => process.cpuUsage().user + process.cpuUsage().system;
  const end = used() + milliseconds * 1000;
  while (used() < end);
};

/** A service in this process. Its crowd runs `answer` by requesting `path`. */
const besideCrowd = async (path: string, answer: (url: string) => void, hasStreams = false) => {
  const stored = new Map<string, { id: string; name: string; tag: string }>();
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    answer(request.url ?? '');
    if (request.url === '/sales/watchers') return response.end('1');
    const text = Buffer.concat(chunks).toString();
    if (request.url !== '/plants') return response.end('ok');
    const [, id = '', name = '', tag = ''] = /"id":(-?\d+),"name":"(.*)","tag":"(.*)"/.exec(text) ?? [];
    const isTaken = stored.has(id) && stored.get(id)?.name !== name;
    if (!isTaken) stored.set(id, { id, name, tag });
    response.statusCode = isTaken ? 409 : 200;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const first = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  const crowd: Crowd = { connections: 1, arrival: 10, first, reads: true };
  const service = { url, pid: process.pid, log: [], end: async () => 0 };
  const fault: Fault = {
    name: 'crowd-of-one',
    title: 'one',
    clients: 2,
    mostWait: 0.3,
    set: async () => ({
      ...crowdsOf([crowd], 150, hasStreams)({ oldest: () => service }),
      targets: () => [url],
      query: () => [...stored.values()],
      end: async () => {
        server.close();
        server.closeAllConnections();
      },
    }),
  };
  const result = await drill(fault, PLANTS, OPTIONS);
  return { result, broken: findBroken(result) };
};

test('a service that stalls for a crowd is found out', async () => {
  const { result, broken } = await besideCrowd('/stall', (url) => {
    if (url === '/stall') work(600);
  });
  expect(result.waits[0]).toBeGreaterThan(0.5);
  expect(broken).toEqual([expect.stringMatching(/^plants: one: an answer took \d\.\d\d s of work$/)]);
}, 60_000);

test('a service that fills its memory for a crowd is found out', async () => {
  const kept: Buffer[] = [];
  const { broken } = await besideCrowd('/fill', (url) => {
    if (url === '/fill') kept.push(Buffer.alloc(300 * 2 ** 20, 1));
  });
  expect(kept).toHaveLength(1);
  expect(broken).toContainEqual(expect.stringMatching(/^plants: one: Error: \d+ MiB more memory/));
}, 60_000);

test('a stream that stays open once its client has left is found out', async () => {
  const { broken } = await besideCrowd('/healthz', () => {}, true);
  expect(broken).toContainEqual(expect.stringMatching(/^plants: one: Error: .*every stream has ended/));
}, 120_000);
