import { Worker } from 'node:worker_threads';
import { moduleBeside } from '../beside.ts';

/** Checks the types of the project beside everything else. */
export interface Types {
  /** Begins a check, and gives up the one before if it is not finished. Only the result of the last is told. */
  check(): void;
  /** Gives up a check that is not finished. */
  cancel(): void;
}

const THREAD = moduleBeside('./type-thread', import.meta.url);

/** Starts the thread. From the sources, tsx has to load it: it does not reach the first file of a thread by itself. */
const startThread = (workerData: SharedArrayBuffer): Worker => {
  if (THREAD.pathname.endsWith('.js')) return new Worker(THREAD, { workerData });
  const [thread, here] = [THREAD.href, import.meta.url].map((each) => JSON.stringify(each));
  const loader = `import('tsx/esm/api').then(({ tsImport }) => tsImport(${thread}, ${here}));`;
  return new Worker(loader, { eval: true, workerData });
};

/** Makes a check of types on a thread of its own, which tells `onResult` the errors it finds. */
export const createTypes = (onResult: (errors: readonly string[]) => void): Types => {
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  /** The number of the last check: the compiler looks at it between two declarations, and stops if it has changed. */
  const latest = new Int32Array(shared);
  let thread: Worker | undefined;
  const start = (): Worker => {
    const worker = startThread(shared);
    worker.on('message', ({ number, errors }: { number: number; errors: readonly string[] }) => {
      if (number === Atomics.load(latest, 0)) onResult(errors);
    });
    worker.on('error', (error) => {
      thread = undefined; // the next check starts another
      onResult([`the types could not be checked: ${error.message}`]);
    });
    return worker;
  };
  const cancel = (): number => Atomics.add(latest, 0, 1) + 1;
  return {
    check: () => {
      thread ??= start();
      thread.postMessage(cancel());
    },
    cancel: () => void cancel(),
  };
};
