import { Worker } from 'node:worker_threads';
import type { NewPlant } from '../plants/plant.ts';
import { type PlantStore, StoreUnavailable } from '../plants/repository.ts';
import { BULK, createGroupCommit } from './group-commit.ts';
import type { OpenOptions } from './options.ts';
import { readInPages } from './pages.ts';
import type { Answer, Ask } from './sqlite-thread.ts';

/** What the thread makes is garbage by the next batch. */
const RESOURCES = { maxYoungGenerationSizeMb: 2 };

/** Node 20 reads no TypeScript: from the sources it is tsx that starts the thread. */
const startWorker = (): Worker => {
  const { url } = import.meta;
  if (url.endsWith('.js')) return new Worker(new URL('sqlite-thread.js', url), { resourceLimits: RESOURCES });
  const [tsx, here] = [import.meta.resolve('tsx/esm/api'), url].map((each) => JSON.stringify(each));
  return new Worker(`import(${tsx}).then(({ tsImport }) => tsImport('./sqlite-thread.ts', ${here}))`, {
    eval: true,
  });
};

/** Starts the thread, which answers in the order that it is asked in. */
const startThread = () => {
  const worker = startWorker();
  const waiting: ((answer: Answer) => void)[] = [];
  let ended: Answer | undefined;
  const settle = (answer: Answer): void => {
    waiting.shift()?.(answer);
    if (waiting.length === 0) worker.unref(); // a store that nobody asks keeps no process alive
  };
  const end = (cause: unknown): void => {
    ended ??= { failure: { reason: 'failing', cause } };
    while (waiting.length > 0) settle(ended);
  };
  worker.on('message', settle);
  worker.on('error', end);
  worker.on('exit', () => end(new Error('the thread of the store has ended')));
  return (ask: Ask): Promise<Answer> =>
    new Promise((resolve) => {
      if (ended) return resolve(ended);
      waiting.push(resolve);
      worker.ref();
      worker.postMessage(ask);
    });
};

/** A store in one file. What is done to the file is in sqlite-thread.ts: a slow disk keeps nobody else waiting. */
export const openSqliteRepository = async (
  path: string,
  { mustExist = false, bulk = false, observer }: OpenOptions = {},
): Promise<PlantStore> => {
  const askThread = startThread();
  const ask = async (what: Ask): Promise<Answer> => {
    const answer = await askThread(what);
    if (answer.failure) throw new StoreUnavailable(answer.failure.reason, { cause: answer.failure.cause });
    return answer;
  };

  const { failure } = await askThread({ open: path, options: { mustExist, bulk } });
  if (failure) {
    await askThread('close');
    throw failure.cause;
  }
  const { submit, drain } = createGroupCommit(
    async (plants: readonly NewPlant[]) => {
      const create = {
        ids: plants.map(({ id }) => id),
        names: plants.map(({ name }) => name),
        tags: plants.map(({ tag }) => tag ?? null),
      };
      return (await ask({ create })).outcomes ?? [];
    },
    bulk ? BULK : {},
    observer,
  );

  return {
    create: submit,
    check: async () => (await askThread('check')).failure?.reason,
    async close() {
      await drain();
      await askThread('close');
    },
    all: () => readInPages(async (from, count) => (await ask({ from, count })).page ?? []),
  };
};
