import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Answer, Ask, Opening } from './protocol.ts';

const TOO_LATE: Answer<never> = {
  failure: {
    reason: 'timeout',
    cause: new Error('the disk, or whoever has locked the file, did not answer'),
  },
};

/** Whatever a thread allocates is garbage by the next batch. */
const RESOURCES = { maxYoungGenerationSizeMb: 2 };

/** The code of the thread as one JavaScript module, made from the sources. */
const bundle = (): string => {
  const { buildSync }: typeof import('esbuild') = createRequire(import.meta.url)('esbuild');
  const sqlite = import.meta.resolve('@photostructure/sqlite');
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('thread.ts', import.meta.url))],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    alias: { '@photostructure/sqlite': sqlite },
    external: [sqlite],
  });
  return outputFiles[0]?.text ?? '';
};

/**
 * Starts the thread, whose module stands beside this one. Node 20 does not read TypeScript: from the sources a bundle is
 * started, which needs none of the loaders that this process was started with.
 */
const startWorker = (workerData: Opening): Worker => {
  const { url } = import.meta;
  const options = { resourceLimits: RESOURCES, workerData };
  if (url.endsWith('.js')) return new Worker(new URL('thread.js', url), options);
  const code = encodeURIComponent(bundle());
  return new Worker(new URL(`data:text/javascript,${code}`), { ...options, execArgv: [] });
};

/** At exit Node.js waits for every thread; one that waits for its disk would keep the process alive for ever. */
const endProcess = (): void => void process.kill(process.pid, 'SIGKILL');

/** Starts a thread that opens a file and answers requests in their order until it ends. */
export const startThread = (opening: Opening, timeout: number) => {
  const worker = startWorker(opening);
  const waiting: ((answer: Answer<never>) => void)[] = [];
  let isOver = false;
  let isLate = false;
  let last: Answer<never> = {
    failure: { reason: 'failing', cause: new Error('the thread of the store has ended') },
  };

  const settle = (answer: Answer<never>): void => {
    isLate = false;
    waiting.shift()?.(answer);
    if (waiting.length === 0) worker.unref(); // an idle store does not keep the process alive
  };
  const wait = <Row>(): Promise<Answer<Row>> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      worker.ref();
    });
  const waitInTime = <Row>(): Promise<Answer<Row>> =>
    new Promise((resolve) => {
      const deadline = setTimeout(() => {
        isLate = true;
        resolve(TOO_LATE);
      }, timeout);
      void wait<Row>().then((answer) => {
        clearTimeout(deadline);
        resolve(answer);
      });
    });

  // The last answer is given at the exit of the thread: only then SQLite has released the file.
  worker.on('message', (answer: Answer<never>) => {
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
    /** Settles once the file is open, or cannot be opened. The thread says so unasked. */
    opened: wait(),
    isOver: () => isOver,
    /** Settles within `timeout`. While an answer is late nothing more is sent, so that requests do not pile up. */
    async ask<Row>(what: Ask): Promise<Answer<Row>> {
      if (isOver) return last;
      if (isLate) return TOO_LATE;
      worker.postMessage(what);
      return waitInTime();
    },
    /** Settles once the file is released. A thread that is late releases it when it can, and keeps no process alive. */
    async close(): Promise<void> {
      if (isOver) return;
      worker.postMessage('close');
      if (isLate) void wait();
      else await waitInTime();
      if (isOver) return;
      worker.unref();
      process.once('exit', endProcess);
      worker.once('exit', () => process.off('exit', endProcess));
    },
  };
};
