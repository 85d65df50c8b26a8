import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { until } from '../../support/until.ts';
import { childrenOf, groupUsageOf } from '../../support/usage.ts';
import { FROM_SOURCES, TSX } from '../plant-store.ts';
import { AUTHORIZATION, CHUNKED, HOST, JSON_TYPE, lengthOf, writeRequest } from '../wire.ts';
import type { Crowd } from './crowd-connections.ts';
import { type Fault, type Fleet, openSqlite, type Round, sceneOn } from './scene.ts';

/** How long a crowd stays once it is there, in milliseconds. */
const STAY = 2000;
/** How long the service may work while a good client waits, in seconds. */
const MOST_WAIT = 2;
/** How much more memory a service may take for a crowd unless it says otherwise, in MiB. */
const MOST_MEMORY = 150;

const CONNECTIONS = fileURLToPath(new URL('crowd-connections.ts', import.meta.url));

/** Lets crowds come, in a process of their own. Kill it when they are to leave. */
const letIn = async (url: string, crowds: readonly Crowd[]): Promise<ChildProcess> => {
  const child = fork(CONNECTIONS, { execArgv: ['--conditions=source', `--import=${TSX}`] });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the crowd has ended')));
  ended.catch(() => {}); // when it is killed
  child.send(JSON.stringify({ port: Number(new URL(url).port), crowds }));
  await Promise.race([once(child, 'message'), ended]);
  return child;
};

/** Resets the peak memory of a service to what it uses now. Does nothing without /proc. */
const resetPeak = async (pid: number): Promise<void> => {
  for (const each of [pid, ...childrenOf(pid)])
    await writeFile(`/proc/${each}/clear_refs`, '5').catch(() => {});
};

/** Crowds that come, stay for a while, and leave. Throws if they take too much memory, or leave a stream open. */
export const crowdsOf =
  (crowds: readonly Crowd[], mostMemory = MOST_MEMORY, hasStreams = false) =>
  (fleet: Pick<Fleet, 'oldest'>): Round => {
    let [child, before]: [ChildProcess?, number?] = [];
    const { pid, url } = fleet.oldest();
    const countStreams = async (): Promise<number> => Number(await (await fetch(`${url}/open`)).text());
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
        if (hasStreams) await until('every stream has ended', async () => (await countStreams()) === 0);
        if (more > mostMemory) throw new Error(`${more.toFixed(0)} MiB more memory`);
      },
    };
  };

const STREAMS = fileURLToPath(new URL('streams-server.ts', import.meta.url));

const BESIDE = { clients: 4, mostWait: MOST_WAIT };

const crowd = (name: string, title: string, ...crowds: readonly Crowd[]): Fault => ({
  name: `crowd-${name}`,
  title: `crowd: ${title}`,
  ...BESIDE,
  set: sceneOn(openSqlite, 1, crowdsOf(crowds)),
});

/** A crowd at the service with streams. */
const streams = (name: string, title: string, connections: Crowd, mostMemory?: number): Fault => ({
  name: `streams-${name}`,
  title: `streams: ${title}`,
  ...BESIDE,
  set: sceneOn(openSqlite, 1, crowdsOf([connections], mostMemory, true), FROM_SOURCES, STREAMS),
});

/** As many as the service lets one connection pipeline. */
const REQUESTS = 16;
const sixteen = (request: string): string => request.repeat(REQUESTS);
const get = (target: string): string => writeRequest(`GET ${target} HTTP/1.1`, [HOST]);
const PLANT = '{"id":1,"name":"a"}';
const post = (...fields: readonly string[]): string =>
  writeRequest('POST /plants HTTP/1.1', [HOST, ...fields, JSON_TYPE, lengthOf(PLANT)], PLANT);

const NEVER_READ = [get('/openapi.json'), post(), post(AUTHORIZATION)].map(
  (request): Crowd => ({ connections: 67, first: '', more: sixteen(request), reads: false }),
);
const CHUNK = `10000\r\n${'a'.repeat(65_536)}\r\n`;
const ENDLESS: Crowd = {
  connections: 200,
  first: writeRequest('POST /plants HTTP/1.1', [HOST, JSON_TYPE, CHUNKED]),
  more: CHUNK,
  reads: true,
};
/** A header or a body that comes byte by byte. */
const SLOW = [
  'GET /healthz HTTP/1.1\r\nX: ',
  writeRequest('POST /plants HTTP/1.1', [HOST, AUTHORIZATION, JSON_TYPE, 'Content-Length: 100000']),
].map((first): Crowd => ({ connections: 250, first, more: '1', every: 1000, reads: true }));
/** Requests that are cheap alone, sixteen at a time on each connection. */
const PIPELINED = [get('/x'), get('/healthz'), post(), post(AUTHORIZATION)].map((request): Crowd => {
  const all = sixteen(request);
  return { connections: 150, first: all, more: all, every: 1000, reads: true };
});
/** More than socket buffers hold. */
const NEVER_READ_A_MEGABYTE: Crowd = { connections: 800, first: sixteen(get('/openapi.json')), reads: false };

const upload = (type: string, start = ''): string =>
  writeRequest('PUT /uploads HTTP/1.1', [HOST, `Content-Type: ${type}`, CHUNKED], start);
const BYTES = upload('application/octet-stream');
const FILE = '--drill\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
const FORM = upload('multipart/form-data; boundary=drill', `${FILE.length.toString(16)}\r\n${FILE}\r\n`);
const uploadOf = (first: string): Crowd => ({ connections: 1, first, more: CHUNK, reads: true });
const ASK = { connections: 1000, arrival: 5000, first: get('/bytes'), reads: false };
/** Each may take 64 KiB. */
const READERS = 5000;
const READ = { connections: READERS, arrival: 20_000, first: get('/events'), reads: true };

/** Crowds that do harm as long as they can, and those that hold streams open, both ways. Uploads are larger than memory. */
export const CROWDS: readonly Fault[] = [
  crowd('never-read', '200 that never read', ...NEVER_READ),
  crowd('endless', '200 endless bodies', ENDLESS),
  crowd('slow', '500 slow ones', ...SLOW),
  crowd('all', 'all of these', ...NEVER_READ, ENDLESS, ...SLOW),
  crowd('pipeline', '600 that pipeline', ...PIPELINED),
  streams('megabyte', '800 that ask for 1 MB and never read', NEVER_READ_A_MEGABYTE),
  streams('bytes', '1000 that ask for endless bytes and never read', ASK),
  streams('events', `${READERS} readers of events`, READ, READERS / 16),
  streams('uploads', '100 endless uploads', { ...uploadOf(BYTES), connections: 100, every: 100 }),
  streams('upload', 'an upload as fast as it goes', uploadOf(BYTES), 64),
  streams('form', 'a file in a form as fast as it goes', uploadOf(FORM), 64),
];
