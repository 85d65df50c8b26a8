import { spawnSync } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { count } from '@trellis/contract-tests/internal';
import { groupUsageOf } from '../../support/usage.ts';
import { planCreates } from '../load/plan.ts';
import type { BenchOptions } from '../options.ts';
import { type Spread, spreadOf } from '../rounds/spread.ts';
import { inFolder, type Program, startServer } from './servers.ts';

const timeNothing = (node: string): number => {
  const started = performance.now();
  spawnSync(node, ['-e', '0'], { stdio: 'ignore' });
  return performance.now() - started;
};

const answersHealth = (url: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    get(`${url}/healthz`, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    }).once('error', reject);
  });

/** How long the service takes to answer, how long Node takes to do nothing (milliseconds), and memory at rest (MiB). */
export interface StartUp {
  readonly nothing: Spread | undefined;
  readonly ready: Spread | undefined;
  readonly restingMiB: Spread | undefined;
}

/** Starts the service several times on one store, each time after Node with nothing to do. */
export const measureStartUp = (program: Program, times: number): Promise<StartUp> =>
  inFolder(async (folder) => {
    const [nothing, ready, resting]: [number[], number[], number[]] = [[], [], []];
    for (let time = 0; time <= times; time += 1) {
      const idle = timeNothing(program.node);
      const started = performance.now();
      const running = await startServer(program, folder);
      const answers = await answersHealth(running.url);
      const took = performance.now() - started;
      if (!answers) throw new Error('the service has started but does not answer');
      await sleep(1000); // at rest
      const { residentMiB = Number.NaN } = groupUsageOf(running.pid) ?? {};
      await running.stop();
      if (time === 0) continue; // the first start creates the store and fills the caches of the system and of Node
      nothing.push(idle);
      ready.push(took);
      resting.push(residentMiB);
    }
    return {
      nothing: spreadOf(nothing),
      ready: spreadOf(ready),
      restingMiB: spreadOf(resting.filter(Number.isFinite)),
    };
  });

/** The memory of the service after a number of creates. */
export interface Memory {
  readonly creates: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
}

/** The seconds of each load, before memory is measured. */
const SECONDS = 10;

/** Creates plants in one load after the other, and reads the memory after the last. */
export const measureMemory = ({ node, load, connections, creates, report }: BenchOptions): Promise<Memory> =>
  inFolder(async (folder) => {
    const running = await startServer({ node }, folder);
    try {
      let done = 0;
      for (let nth = 1; done < creates; nth += 1) {
        const plan = planCreates(running.url, nth, { connections, seconds: SECONDS });
        const { answers, wrong, errors } = await load(plan);
        if (answers === 0 || wrong + errors > 0)
          throw new Error(`memory: ${wrong} wrong answers, ${errors} errors, ${answers} answers`);
        done += answers;
        report(`memory: ${count(done)} of ${count(creates)} creates`);
      }
      const { residentMiB = Number.NaN, peakMiB = Number.NaN } = groupUsageOf(running.pid) ?? {};
      return { creates: done, residentMiB, peakMiB };
    } finally {
      await running.stop();
    }
  });
