import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findGrowth, type Memory, readLevel, readRss, WITH_COLLECTOR } from '../../support/memory.ts';
import { type ServiceProcess, startProcess } from '../../support/service.ts';
import { TOKEN } from './case.ts';
import { createFlood } from './flood.ts';
import { findAltered, findHarm } from './survival.ts';
import { createTally, type Finding, type Row } from './tally.ts';

export { renderHostile } from './render.ts';

/** How much is sent, which chance decides what, and who is told how it goes. */
export interface HostileOptions {
  readonly requests: number;
  /** The same seed makes the same requests. */
  readonly seed: number;
  readonly report: (text: string) => void;
}

/** What came of a drill. It has passed if nothing was found. */
export interface HostileResult {
  readonly seed: number;
  /** Fewer than asked for, where so much was found that the rest was spared. */
  readonly requests: number;
  readonly connections: number;
  readonly seconds: number;
  readonly rows: ReadonlyMap<string, Row>;
  readonly canaries: { readonly sent: number; readonly stored: number };
  readonly memory: Memory;
  /** The first of them, with what it takes to see them again. */
  readonly findings: readonly Finding[];
  readonly found: number;
}

const DATABASE = 'plants.db';
const PARTS = 20;
/** By then the code is compiled and the heap has its size: a tenth of a long drill, most of a short one. */
const warmUpOf = (requests: number): number =>
  Math.floor(Math.max(requests / 10, Math.min(requests * 0.6, 10_000)));

const createProgress = (requests: number, report: HostileOptions['report'], found: () => number) => {
  const start = Date.now();
  let next = start + 1000;
  return (done: number): void => {
    const now = Date.now();
    if (now < next) return;
    next = now + 1000;
    const rate = Math.round((done / (now - start)) * 1000);
    report(`${done} of ${requests} requests, ${rate}/s, ${found()} findings`);
  };
};

/** Sends everything, and looks at the memory twice: when the service has warmed up, and at the end. */
const attack = async ({ requests, seed, report }: HostileOptions, service: ServiceProcess) => {
  const tally = createTally();
  const onProgress = createProgress(requests, report, tally.found);
  const port = Number(new URL(service.url).port);
  const flood = createFlood({ port, seed, requests, tally, onProgress });
  const highest: number[] = [];
  const start = Date.now();
  const warmUp = warmUpOf(requests);
  await flood.runUntil(warmUp);
  const warm = await readLevel(service);
  for (let part = 1; part <= PARTS; part += 1) {
    await flood.runUntil(warmUp + Math.floor(((requests - warmUp) * part) / PARTS));
    highest.push(await readRss(service.pid));
  }
  const seconds = (Date.now() - start) / 1000;
  const memory: Memory = { warm, end: await readLevel(service), highestRss: Math.max(...highest) };
  return { tally, flood, seconds, memory };
};

const drill = async (options: HostileOptions, folder: string): Promise<HostileResult> => {
  const settings = { ACCESS_TOKENS: TOKEN, DATABASE_URL: `sqlite:${DATABASE}`, ...WITH_COLLECTOR };
  const service = await startProcess(folder, settings);
  try {
    const { tally, flood, seconds, memory } = await attack(options, service);
    const harm = await findHarm(service);
    const code = await service.end();
    const altered = findAltered(join(folder, DATABASE), flood.canaries);
    for (const what of [...harm, ...(code === 0 ? [] : [`it ended with ${code}`]), ...findGrowth(memory)])
      tally.find({ kind: 'service', what });
    for (const { id } of altered)
      tally.find({ kind: 'canary', what: `plant ${id} is not stored as it was sent` });
    return {
      seed: options.seed,
      requests: flood.requests(),
      connections: flood.conversations(),
      seconds,
      rows: tally.rows,
      canaries: { sent: flood.canaries.length, stored: flood.canaries.length - altered.length },
      memory,
      findings: tally.findings,
      found: tally.found(),
    };
  } finally {
    await service.end('SIGKILL');
  }
};

/** Floods the built service, in a process and a folder of its own, with hostile requests, and judges all it does. */
export const runHostileDrill = async (options: HostileOptions): Promise<HostileResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-store-hostile-'));
  try {
    return await drill(options, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
