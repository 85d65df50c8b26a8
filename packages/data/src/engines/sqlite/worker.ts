import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createConversation, type Runner } from './conversation.ts';
import { createLasting, type LastingRunner, type MortalRunner } from './lasting.ts';
import type { Answer, Ask, Opening } from './protocol.ts';

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
  const { end, ...conversation } = createConversation(worker, timeout);
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

/** Starts a thread for a file. When it ends, because it can no longer use the file, another one takes its place. */
export const startLastingThread = (opening: Opening, timeout: number): LastingRunner =>
  createLasting(() => startThread(opening, timeout), timeout);

/** How many threads may still run statements that have timed out. Each may take a core. */
const MOST_LATE = 2;

/**
 * Starts a thread that reads a file, at the first request. A statement that takes too long cannot be interrupted: its
 * thread finishes it and then ends, while another thread serves all other reads.
 */
export const startReader = (opening: Opening, timeout: number): Runner => {
  let late = 0;
  const start = (): MortalRunner => {
    const thread = startThread(opening, timeout);
    let isLeft = false;
    const leave = async (): Promise<void> => {
      isLeft = true;
      late += 1;
      await thread.close();
      await thread.ended;
      late -= 1;
    };
    return {
      ...thread,
      isOver: () => isLeft || thread.isOver(),
      async ask<Row>(what: Ask, within?: number): Promise<Answer<Row>> {
        const answer = await thread.ask<Row>(what, within);
        if (answer.failure?.reason === 'timeout' && !isLeft && late < MOST_LATE) void leave();
        return answer;
      },
    };
  };
  return createLasting(start, timeout);
};
