import { Worker } from 'node:worker_threads';

/** The threads that a SQLite file may have, by their modules. */
export type ThreadModule = 'sqlite-thread' | 'sqlite-log-thread';

/** What a thread makes is garbage by the next batch. */
const RESOURCES = { maxYoungGenerationSizeMb: 2 };

/** Starts a thread. Node 20 reads no TypeScript: from the sources it is tsx that starts it. */
export const startWorker = (name: ThreadModule, workerData: unknown): Worker => {
  const { url } = import.meta;
  if (url.endsWith('.js'))
    return new Worker(new URL(`${name}.js`, url), { resourceLimits: RESOURCES, workerData });
  const [tsx, here] = [import.meta.resolve('tsx/esm/api'), url].map((each) => JSON.stringify(each));
  return new Worker(`import(${tsx}).then(({ tsImport }) => tsImport('./${name}.ts', ${here}))`, {
    eval: true,
    workerData,
  });
};
