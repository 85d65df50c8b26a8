import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createConversation, type Runner } from './conversation.ts';
import type { Answer, Ask, Opening, Reply } from './protocol.ts';

/** Whatever a thread allocates is garbage by the next batch. */
const RESOURCES = { maxYoungGenerationSizeMb: 2 };

let bundled: string | undefined;

/** The address of the code of the thread: one JavaScript module, made from the sources. */
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
  return `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`;
};

/**
 * Starts the thread, whose module stands beside this one. Node 20 does not read TypeScript: from the sources a bundle is
 * started, which needs none of the loaders that this process was started with.
 */
const startWorker = (workerData: Opening): Worker => {
  const { url } = import.meta;
  const options = { resourceLimits: RESOURCES, workerData };
  if (url.endsWith('.js')) return new Worker(new URL('thread.js', url), options);
  bundled ??= bundle();
  return new Worker(new URL(bundled), { ...options, execArgv: [] });
};

/** At exit Node.js waits for every thread; one that waits for its disk would keep the process alive for ever. */
const endProcess = (): void => void process.kill(process.pid, 'SIGKILL');

/** Starts a thread that opens a file and answers requests until it ends. */
export const startThread = (opening: Opening, timeout: number) => {
  const worker = startWorker(opening);
  const { end, ...conversation } = createConversation(
    {
      send: (request) => worker.postMessage(request),
      receive(onReply, onEnd) {
        let last: Answer<never> | undefined;
        // The last answer is given at the exit of the thread: only then SQLite has released the file.
        worker.on('message', (reply: Reply<never>) => {
          if (reply.answer.isLast) last = reply.answer;
          else onReply(reply);
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
    /** Settles once the thread has ended. */
    ended: new Promise<void>((resolve) => worker.once('exit', () => resolve())),
    /** Settles once the file is released. A thread that is late releases it when it can, and keeps no process alive. */
    async close(): Promise<void> {
      if (await end()) return;
      worker.unref();
      process.once('exit', endProcess);
      worker.once('exit', () => process.off('exit', endProcess));
    },
  };
};

/**
 * The least time between the starts of two threads, in milliseconds. A file that cannot be opened ends each thread at
 * once, and a start costs as much as hundreds of writes. Requests that come meanwhile wait and share the next thread.
 */
const START_EVERY = 250;

/** A thread that is replaced when it ends. */
export interface LastingThread extends Runner {
  /** Settles once the file is open, or cannot be opened. Starts another thread if the last one has ended. */
  opened(): Promise<Answer>;
  /** Settles once the thread that runs now has ended. */
  ended(): Promise<void>;
}

/** Starts a thread for a file. When it ends, because it can no longer use the file, another one takes its place. */
export const startLastingThread = (opening: Opening, timeout: number): LastingThread => {
  let thread = startThread(opening, timeout);
  let started = performance.now();
  let restarted: Promise<void> | undefined;
  let isClosed = false;

  /** The next thread opens whatever is there by then. */
  const restart = async (): Promise<void> => {
    await sleep(Math.max(0, started + START_EVERY - performance.now()));
    restarted = undefined;
    if (isClosed) return;
    thread = startThread(opening, timeout);
    started = performance.now();
  };
  const withThread = <T>(use: () => Promise<T>): Promise<T> => {
    if (!thread.isOver() || isClosed) return use();
    restarted ??= restart();
    return restarted.then(use);
  };

  return {
    opened: () => withThread(() => thread.opened),
    ended: () => thread.ended,
    ask: <Item>(what: Ask, within?: number) => withThread(() => thread.ask<Item>(what, within)),
    close() {
      isClosed = true;
      return thread.close();
    },
  };
};

/** How many threads may be busy with statements that nobody waits for any more. Each may take a core. */
const MOST_LATE = 2;

/**
 * Starts a thread that reads a file, when it is asked for the first time. A statement that takes too long cannot be
 * interrupted: its thread is left to it, and ends with it, while another one reads for everybody else.
 */
export const startReader = (opening: Opening, timeout: number): Runner => {
  let thread: LastingThread | undefined;
  let late = 0;

  const leave = (slow: LastingThread): void => {
    if (thread !== slow || late === MOST_LATE) return;
    thread = undefined;
    late += 1;
    void slow.close();
    void slow.ended().then(() => {
      late -= 1;
    });
  };

  return {
    async ask<Item>(what: Ask, within?: number): Promise<Answer<Item>> {
      thread ??= startLastingThread(opening, timeout);
      const asked = thread;
      const answer = await asked.ask<Item>(what, within);
      if (answer.failure?.reason === 'timeout') leave(asked);
      return answer;
    },
    close: async () => thread?.close(),
  };
};
