import { Worker } from 'node:worker_threads';
import type { Answer, Ask, Opening } from './sqlite-thread.ts';

/** What the thread makes is garbage by the next batch. */
const RESOURCES = { maxYoungGenerationSizeMb: 2 };

/** Node 20 reads no TypeScript: from the sources it is tsx that starts the thread. */
const startWorker = (workerData: Opening): Worker => {
  const { url } = import.meta;
  if (url.endsWith('.js'))
    return new Worker(new URL('sqlite-thread.js', url), { resourceLimits: RESOURCES, workerData });
  const [tsx, here] = [import.meta.resolve('tsx/esm/api'), url].map((each) => JSON.stringify(each));
  return new Worker(`import(${tsx}).then(({ tsImport }) => tsImport('./sqlite-thread.ts', ${here}))`, {
    eval: true,
    workerData,
  });
};

/** Starts a thread that opens a file, and answers in the order that it is asked in until it ends. */
export const startThread = (opening: Opening) => {
  const worker = startWorker(opening);
  const waiting: ((answer: Answer) => void)[] = [];
  let isOver = false;
  let last: Answer = {
    failure: { reason: 'failing', cause: new Error('the thread of the store has ended') },
  };

  const settle = (answer: Answer): void => {
    waiting.shift()?.(answer);
    if (waiting.length === 0) worker.unref(); // a store that nobody asks keeps no process alive
  };
  const wait = (): Promise<Answer> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      worker.ref();
    });
  // A last answer is told at the exit, not before: only then SQLite has let go of the file.
  worker.on('message', (answer: Answer) => {
    if (answer.isLast) last = answer;
    else settle(answer);
  });
  worker.on('error', (cause) => {
    last = { failure: { reason: 'failing', cause } };
  });
  worker.on('exit', () => {
    isOver = true;
    while (waiting.length > 0) settle(last);
  });

  return {
    /** Settles once the file is open, or cannot be opened. */
    opened: wait(),
    isOver: () => isOver,
    async ask(what: Ask): Promise<Answer> {
      if (isOver) return last;
      worker.postMessage(what);
      return wait();
    },
  };
};
