import { join } from 'node:path';
import { findGrowth, type Memory, readLevel, readRss, WITH_COLLECTOR } from '../../support/memory.ts';
import { type ServiceProcess, startProcess } from '../../support/service.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { TOKEN } from '../plant-store.ts';
import { createFlood } from './flood.ts';
import { createResults, type Finding, type Row } from './results.ts';
import { findAltered, findHarm } from './survival.ts';

/** How the drill runs. */
export interface HostileOptions {
  readonly requests: number;
  /** The same seed generates the same requests. */
  readonly seed: number;
  /** How many connections are open at a time. */
  readonly connections?: number;
  readonly report: (text: string) => void;
}

/** The result of a drill. It passed if nothing was found. */
export interface HostileResult {
  readonly seed: number;
  /** Fewer than asked for if the drill stopped after too many findings. */
  readonly requests: number;
  readonly connections: number;
  readonly seconds: number;
  readonly rows: ReadonlyMap<string, Row>;
  readonly canaries: { readonly sent: number; readonly stored: number };
  readonly memory: Memory;
  /** The first findings, with what it takes to reproduce them. */
  readonly findings: readonly Finding[];
  /** The number of findings, printed or not. */
  readonly found: number;
}

const DATABASE = 'plants.db';
const PARTS = 20;
/** After so many requests the code is compiled and the heap has its size: a tenth of a long drill, most of a short one. */
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

/** Sends all requests, and measures the memory twice: after the warm-up, and at the end. */
const attack = async ({ requests, seed, connections, report }: HostileOptions, service: ServiceProcess) => {
  const results = createResults();
  const onProgress = createProgress(requests, report, results.found);
  const port = Number(new URL(service.url).port);
  const flood = createFlood({ port, seed, requests, connections, results, onProgress });
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
  return { results, flood, seconds, memory };
};

const drill = async (options: HostileOptions, folder: string): Promise<HostileResult> => {
  // Not in production, where the service does not check its own replies against the contract.
  const settings = { ACCESS_TOKENS: TOKEN, DATABASE_URL: `sqlite:${DATABASE}`, ...WITH_COLLECTOR };
  const service = await startProcess(folder, settings);
  try {
    const { results, flood, seconds, memory } = await attack(options, service);
    const harm = await findHarm(service);
    const code = await service.end();
    const altered = findAltered(join(folder, DATABASE), flood.canaries);
    for (const what of [...harm, ...(code === 0 ? [] : [`it ended with ${code}`]), ...findGrowth(memory)])
      await results.add(what, 'service');
    for (const { id } of altered) await results.add(`plant ${id} is not stored as it was sent`, 'canary');
    return {
      seed: options.seed,
      requests: flood.requests(),
      connections: flood.conversations(),
      seconds,
      rows: results.rows,
      canaries: { sent: flood.canaries.length, stored: flood.canaries.length - altered.length },
      memory,
      findings: results.findings,
      found: results.found(),
    };
  } finally {
    await service.end('SIGKILL');
  }
};

/** Floods the built service with hostile requests, and judges everything it does. */
export const runHostileDrill = (options: HostileOptions): Promise<HostileResult> =>
  inTemporaryFolder('plant-store-hostile', (folder) => drill(options, folder));
