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

/** The way to a thread that runs statements on a file. */
export interface Channel {
  send(what: Ask): void;
  /** Sets who gets the answers, in order, and who is told that there are no more. */
  receive(onAnswer: (answer: Answer<never>) => void, onEnd: (last?: Answer<never>) => void): void;
  /** Whether an answer keeps the process alive. */
  hold(isHeld: boolean): void;
}

/** Asks a thread over a channel. The first answer comes unasked, once the file is open. */
export const createConversation = (channel: Channel, timeout: number) => {
  const waiting: ((answer: Answer<never>) => void)[] = [];
  let isOver = false;
  let isLate = false;
  let last: Answer<never> = {
    failure: { reason: 'failing', cause: new Error('the thread of the store has ended') },
  };

  const settle = (answer: Answer<never>): void => {
    isLate = false;
    waiting.shift()?.(answer);
    if (waiting.length === 0) channel.hold(false); // an idle store does not keep the process alive
  };
  const wait = <Row>(): Promise<Answer<Row>> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.hold(true);
    });
  channel.receive(settle, (end = last) => {
    isOver = true;
    last = end;
    while (waiting.length > 0) settle(last);
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

  return {
    /** Settles once the file is open, or cannot be opened. */
    opened: wait(),
    isOver: () => isOver,
    /** Settles within `timeout`. While an answer is late nothing more is sent, so that requests do not pile up. */
    async ask<Row>(what: Ask): Promise<Answer<Row>> {
      if (isOver) return last;
      if (isLate) return TOO_LATE;
      channel.send(what);
      return waitInTime();
    },
    /** Asks for the end. Settles with whether it has come; a thread that is late ends when it can. */
    async end(): Promise<boolean> {
      if (isOver) return true;
      channel.send('close');
      if (isLate) void wait();
      else await waitInTime();
      return isOver;
    },
  };
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
  const { end, ...conversation } = createConversation(
    {
      send: (what) => worker.postMessage(what),
      receive(onAnswer, onEnd) {
        let last: Answer<never> | undefined;
        // The last answer is given at the exit of the thread: only then SQLite has released the file.
        worker.on('message', (answer: Answer<never>) => {
          if (answer.isLast) last = answer;
          else onAnswer(answer);
        });
        worker.on('error', (cause) => {
          last = { failure: { reason: 'failing', cause } };
        });
        worker.on('exit', () => onEnd(last));
      },
      hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    },
    timeout,
  );
  return {
    ...conversation,
    /** Settles once the file is released. A thread that is late releases it when it can, and keeps no process alive. */
    async close(): Promise<void> {
      if (await end()) return;
      worker.unref();
      process.once('exit', endProcess);
      worker.once('exit', () => process.off('exit', endProcess));
    },
  };
};
