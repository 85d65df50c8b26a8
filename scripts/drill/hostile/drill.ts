import { join } from 'node:path';
import { findGrowth, type Memory, readLevel, readPeak, WITH_COLLECTOR } from '../../support/memory.ts';
import { startProcess } from '../../support/service.ts';
import { inTemporaryFolder } from '../../support/temporary-folder.ts';
import { TOKEN } from '../plant-store.ts';
import { createFlood, type Finding, type Row } from './flood.ts';
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

/** After so many requests the code is compiled and the heap has its size: a tenth of a long drill, most of a short one. */
const warmUpOf = (requests: number): number =>
  Math.floor(Math.max(requests / 10, Math.min(requests * 0.6, 10_000)));

const drill = async (folder: string, options: HostileOptions): Promise<HostileResult> => {
  // Not in production, where the service does not check its own replies against the contract.
  const settings = { ACCESS_TOKENS: TOKEN, DATABASE_URL: `sqlite:${DATABASE}`, ...WITH_COLLECTOR };
  const service = await startProcess(folder, settings);
  const flood = createFlood({ ...options, port: Number(new URL(service.url).port) });
  const started = Date.now();
  try {
    await flood.runUntil(warmUpOf(options.requests));
    const warm = await readLevel(service);
    await flood.runUntil(options.requests);
    const seconds = (Date.now() - started) / 1000;
    const highestRss = await readPeak(service.pid);
    const memory: Memory = { warm, end: await readLevel(service), highestRss };

    const harm = [...(await findHarm(service)), ...findGrowth(memory)];
    const code = await service.end();
    if (code !== 0) harm.push(`it ended with ${code}`);
    for (const what of harm) await flood.add(what, 'service');
    const altered = findAltered(join(folder, DATABASE), flood.canaries);
    for (const { id } of altered) await flood.add(`plant ${id} is not stored as it was sent`, 'canary');
    return {
      seed: options.seed,
      requests: flood.requests(),
      connections: flood.conversations(),
      seconds,
      rows: flood.rows,
      canaries: { sent: flood.canaries.length, stored: flood.canaries.length - altered.length },
      memory,
      findings: flood.findings,
      found: flood.found(),
    };
  } finally {
    await service.end('SIGKILL');
  }
};

/** Floods the built service with hostile requests, and judges everything it does. */
export const runHostileDrill = (options: HostileOptions): Promise<HostileResult> =>
  inTemporaryFolder('plant-store-hostile', (folder) => drill(folder, options));
