import type { Answer, Ask, Opening } from './sqlite-thread.ts';
import { startWorker } from './start-worker.ts';

const TOO_LATE: Answer = {
  failure: {
    reason: 'timeout',
    cause: new Error('the disk, or whoever has locked the file, did not answer'),
  },
};

/** As it exits, Node waits for every thread; one that its disk keeps waiting would keep the process for ever. */
const endProcess = (): void => void process.kill(process.pid, 'SIGKILL');

/** Starts a thread that opens a file, and answers in the order that it is asked in until it ends. */
export const startThread = (opening: Opening, answersWithin: number) => {
  const worker = startWorker('sqlite-thread', opening);
  const waiting: ((answer: Answer) => void)[] = [];
  let isOver = false;
  let isLate = false;
  let last: Answer = {
    failure: { reason: 'failing', cause: new Error('the thread of the store has ended') },
  };

  const settle = (answer: Answer): void => {
    isLate = false;
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

  const waitInTime = (): Promise<Answer> =>
    new Promise((resolve) => {
      const deadline = setTimeout(() => {
        isLate = true;
        resolve(TOO_LATE);
      }, answersWithin);
      void wait().then((answer) => {
        clearTimeout(deadline);
        resolve(answer);
      });
    });

  return {
    /** Settles once the file is open, or cannot be opened. */
    opened: wait(),
    isOver: () => isOver,
    /** Settles within a bounded time. While an answer is late nothing more is asked: it would pile up. */
    async ask(what: Ask): Promise<Answer> {
      if (isOver) return last;
      if (isLate) return TOO_LATE;
      worker.postMessage(what);
      return waitInTime();
    },
    /** Settles once the file is let go of. One that is late is let go of when it can be, and keeps no process alive. */
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
