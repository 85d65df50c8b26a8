import { Worker } from 'node:worker_threads';

/** The threads of a SQLite file, by their modules beside this one. */
export type ThreadModule = 'thread' | 'log-thread';

/** Whatever a thread allocates is garbage by the next batch. */
const RESOURCES = { maxYoungGenerationSizeMb: 2 };

/** Starts a thread. Node 20 does not read TypeScript: from the sources, tsx starts it. */
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
