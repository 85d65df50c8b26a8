import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ServiceProcess } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { childrenOf, filesOf, groupUsageOf } from '../../support/usage.ts';
import { lengthOf, writeRequest } from '../../support/wire.ts';
import { AUTHORIZATION, CHUNKED, HOST, JSON_TYPE, TOKEN } from '../settings.ts';
import type { Subject } from '../subjects/subject.ts';
import type { Crowd } from './crowd-connections.ts';
import { type Fault, type Fleet, openSqlite, type Round, sceneOn } from './scene.ts';

/** How long a crowd stays once it is there, in milliseconds. */
const STAY = 2000;
/** How long the service may work while a good client waits, in seconds. */
const MOST_WAIT = 2;
/** How much more memory a service may take for a crowd unless it says otherwise, in MiB. */
const MOST_MEMORY = 150;

const TSX = import.meta.resolve('tsx');
const CONNECTIONS = fileURLToPath(new URL('crowd-connections.ts', import.meta.url));

/** Starts crowds in a separate process. Kill it to end them. */
const letIn = async (url: string, crowds: readonly Crowd[]): Promise<ChildProcess> => {
  const child = fork(CONNECTIONS, { execArgv: ['--conditions=source', `--import=${TSX}`] });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the crowd has ended')));
  ended.catch(() => {}); // when it is killed
  child.send(JSON.stringify({ port: Number(new URL(url).port), crowds }));
  await Promise.race([once(child, 'message'), ended]);
  return child;
};

/** Resets the peak memory of a service to its current memory. Does nothing without /proc. */
const resetPeak = async (pid: number): Promise<void> => {
  for (const each of [pid, ...childrenOf(pid)])
    await writeFile(`/proc/${each}/clear_refs`, '5').catch(() => {});
};

/** The number of open streams of a service: of events, and of labels that it reads or writes. */
const countStreams = async ({ pid, url }: Pick<ServiceProcess, 'pid' | 'url'>): Promise<number> => {
  const reply = await fetch(`${url}/sales/watchers`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const labels = [pid, ...childrenOf(pid)].flatMap(filesOf).filter((file) => file.includes('/labels/'));
  return Number(await reply.text()) + labels.length;
};

/** Crowds that come, stay for a while, and leave. Throws if they take too much memory, or leave a stream open. */
export const crowdsOf =
  (crowds: readonly Crowd[], mostMemory = MOST_MEMORY, hasStreams = false) =>
  (fleet: Pick<Fleet, 'oldest'>): Round => {
    let [child, before]: [ChildProcess?, number?] = [];
    const service = fleet.oldest();
    const { pid, url } = service;
    return {
      /** Counts while the service works, so that a busy machine is not taken for a slow service. */
      clock: () => groupUsageOf(pid)?.cpuSeconds ?? performance.now() / 1000,
      async strike() {
        await resetPeak(pid);
        before = groupUsageOf(pid)?.peakMiB;
        child = await letIn(url, crowds);
        await sleep(STAY);
      },
      async mend() {
        const more = (groupUsageOf(pid)?.peakMiB ?? 0) - (before ?? 0);
        child?.kill('SIGKILL');
        if (hasStreams)
          await until('every stream has ended', async () => (await countStreams(service)) === 0);
        if (more > mostMemory) throw new Error(`${more.toFixed(0)} MiB more memory`);
      },
    };
  };

const BESIDE = { clients: 4, mostWait: MOST_WAIT };

const crowd = (
  name: string,
  title: string,
  crowds: (write: Subject['write']) => readonly Crowd[],
  mostMemory?: number,
): Fault => ({
  name: `crowd-${name}`,
  title: `crowd: ${title}`,
  ...BESIDE,
  set: sceneOn(openSqlite, 1, (fleet, _store, { write }) => crowdsOf(crowds(write), mostMemory)(fleet)),
});

/** A label of some size for the order that hostile clients have placed. */
const LABEL = { target: '/orders/1/label', bytes: 32 * 2 ** 20 };

/** Places the order whose label a crowd reads or writes. */
const placeOrder = async ({ url }: ServiceProcess, { target, body }: Subject['write']): Promise<void> => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  await fetch(url + target, { method: 'POST', headers, body });
  const label = {
    headers: { ...headers, 'content-type': 'application/octet-stream' },
    body: Buffer.alloc(LABEL.bytes),
  };
  const reply = await fetch(url + LABEL.target, { method: 'PUT', ...label });
  if (reply.status !== 204) throw new Error(`the label got ${reply.status} ${await reply.text()}`);
};

/** A crowd that holds streams open. */
const streams = (name: string, title: string, connections: Crowd, mostMemory?: number): Fault => ({
  name: `streams-${name}`,
  title: `streams: ${title}`,
  only: 'warehouse',
  ...BESIDE,
  set: sceneOn(openSqlite, 1, (fleet, _store, { write }) => {
    const { strike, ...round } = crowdsOf([connections], mostMemory, true)(fleet);
    const strikeOrder = async () => {
      await placeOrder(fleet.oldest(), write);
      await strike();
    };
    return { ...round, strike: strikeOrder };
  }),
});

/** A crowd that holds as much memory as it can beside good clients: none of these is refused. */
const holding = (name: string, title: string, connections: Crowd, mostMemory?: number): Fault => ({
  ...streams(name, title, connections, mostMemory),
  mustServe: true,
});

/** As many as the service lets one connection pipeline. */
const REQUESTS = 16;
const sixteen = (request: string): string => request.repeat(REQUESTS);
const get = (target: string): string => writeRequest(`GET ${target} HTTP/1.1`, [HOST, AUTHORIZATION]);
const post = ({ target, body }: Subject['write'], ...fields: readonly string[]): string =>
  writeRequest(`POST ${target} HTTP/1.1`, [HOST, ...fields, JSON_TYPE, lengthOf(body)], body);
const postPart = ({ target }: Subject['write'], ...fields: readonly string[]): string =>
  writeRequest(`POST ${target} HTTP/1.1`, [HOST, ...fields]);

const neverRead = (write: Subject['write']): Crowd[] =>
  [get('/openapi.json'), post(write), post(write, AUTHORIZATION)].map((request) => ({
    ...{ connections: 67, first: '', more: sixteen(request), reads: false },
  }));
const CHUNK = `10000\r\n${'a'.repeat(65_536)}\r\n`;
const endless = (write: Subject['write']): Crowd => ({
  ...{ connections: 200, first: postPart(write, JSON_TYPE, CHUNKED), more: CHUNK, reads: true },
});
/** A header or a body that comes byte by byte. */
const slow = (write: Subject['write']): Crowd[] =>
  ['GET /healthz HTTP/1.1\r\nX: ', postPart(write, AUTHORIZATION, JSON_TYPE, 'Content-Length: 100000')].map(
    (first) => ({ connections: 250, first, more: '1', every: 1000, reads: true }),
  );
/** Requests that are cheap alone, sixteen at a time on each connection. */
const pipelined = (write: Subject['write']): Crowd[] =>
  [get('/x'), get('/healthz'), post(write), post(write, AUTHORIZATION)].map((request) => {
    const all = sixteen(request);
    return { connections: 150, first: all, more: all, every: 1000, reads: true };
  });
/** More than socket buffers hold. */
const NEVER_READ_A_MEGABYTE: Crowd = {
  ...{ connections: 800, first: sixteen(get('/docs/reference.js')), reads: false },
};

const upload = (type: string, start = ''): string =>
  writeRequest(
    `PUT ${LABEL.target} HTTP/1.1`,
    [HOST, AUTHORIZATION, `Content-Type: ${type}`, CHUNKED],
    start,
  );
const BYTES = upload('application/octet-stream');
const FILE = '--drill\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
const FORM = upload('multipart/form-data; boundary=drill', `${FILE.length.toString(16)}\r\n${FILE}\r\n`);
const uploadOf = (first: string): Crowd => ({ connections: 1, first, more: CHUNK, reads: true });
/** More than a second apart, so that each is about as slow as an upload may be. */
const slowly = (first: string): Crowd => ({
  connections: 600,
  first,
  more: `300\r\n${'a'.repeat(768)}\r\n`,
  every: 1280,
  reads: true,
});
/** More than all memory for bodies, each held until its request is too slow. */
const INCOMPLETE: Crowd = {
  connections: 700,
  first: writeRequest(
    'POST /orders HTTP/1.1',
    [HOST, AUTHORIZATION, JSON_TYPE, 'Content-Length: 102400'],
    'a'.repeat(102_399),
  ),
  reads: true,
};
const ASK = { connections: 1000, arrival: 5000, first: get(LABEL.target), reads: false };
/** Each may take 64 KiB. */
const READERS = 5000;
const READ = { connections: READERS, arrival: 20_000, first: get('/sales?product=0'), reads: true };

/** Crowds that do harm as long as they can, and those that hold streams open, both ways. */
export const CROWDS: readonly Fault[] = [
  crowd('never-read', '200 that never read', neverRead),
  crowd('endless', '200 endless bodies', (write) => [endless(write)]),
  crowd('slow', '500 slow ones', slow),
  crowd('all', 'all of these', (write) => [...neverRead(write), endless(write), ...slow(write)]),
  crowd('pipeline', '600 that pipeline', pipelined),
  crowd('megabyte', '800 that ask for 16 files and never read', () => [NEVER_READ_A_MEGABYTE]),
  streams('bytes', '1000 that download and never read', ASK),
  streams('events', `${READERS} readers of events`, READ, READERS / 16),
  streams('uploads', '100 endless uploads', { ...uploadOf(BYTES), connections: 100, every: 100 }),
  streams('upload', 'an upload as fast as it goes', uploadOf(BYTES), 64),
  holding('slow-uploads', '600 uploads of 600 bytes a second', slowly(BYTES)),
  holding('slow-forms', '600 files in forms of 600 bytes a second', slowly(FORM)),
  holding('bodies', '700 bodies that are all but complete', INCOMPLETE),
  streams('form', 'a file in a form as fast as it goes', uploadOf(FORM), 64),
];
