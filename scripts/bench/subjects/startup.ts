import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from '../load/generators.ts';
import { type LoadOptions, planCreates } from '../load/plan.ts';
import { type Spread, spreadOf, usageOf } from '../rounds/measure.ts';
import { startChild } from './children.ts';
import { inFolder, OURS, startServer } from './servers.ts';

const timeNothing = async (node: string): Promise<number> => {
  const started = performance.now();
  await once(startChild(node, ['-e', '0'], { stdio: 'ignore' }), 'close');
  return performance.now() - started;
};

const isAlive = (url: string): Promise<boolean> =>
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
export const measureStartUp = (node: string, times: number, file = OURS): Promise<StartUp> =>
  inFolder(async (folder) => {
    const [nothing, ready, resting]: [number[], number[], number[]] = [[], [], []];
    for (let time = 0; time <= times; time += 1) {
      const idle = await timeNothing(node);
      const started = performance.now();
      const running = await startServer(node, file, folder, `sqlite:${folder}/plants.db`);
      const answers = await isAlive(running.url);
      const took = performance.now() - started;
      if (!answers) throw new Error('the service has started but does not answer');
      await sleep(1000); // at rest
      const { residentMiB = Number.NaN } = usageOf(running.pid) ?? {};
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

/** Creates plants in loads of some seconds each, and reads the memory after the last. */
export const measureMemory = (
  node: string,
  load: Load,
  options: LoadOptions,
  creates: number,
  report: (text: string) => void,
): Promise<Memory> =>
  inFolder(async (folder) => {
    const running = await startServer(node, OURS, folder, `sqlite:${folder}/plants.db`);
    try {
      let done = 0;
      for (let nth = 1; done < creates; nth += 1) {
        const { answers, wrong, errors } = await load(planCreates(running.url, nth, options));
        if (answers === 0 || wrong + errors > 0)
          throw new Error(`memory: ${wrong} wrong answers, ${errors} errors, ${answers} answers`);
        done += answers;
        report(`memory: ${done.toLocaleString('en')} of ${creates.toLocaleString('en')} creates`);
      }
      const { residentMiB = Number.NaN, peakMiB = Number.NaN } = usageOf(running.pid) ?? {};
      return { creates: done, residentMiB, peakMiB };
    } finally {
      await running.stop();
    }
  });
