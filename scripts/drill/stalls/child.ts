import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The loader that lets a process run TypeScript. */
export const TSX = new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;

/** A program of the drill in its own process, so that the work of the drill does not delay what it measures. */
export interface Child {
  /** Sends a question and returns the answer. One at a time. */
  ask<T>(question: readonly unknown[], isAnswer: (answer: unknown) => answer is T): Promise<T>;
  end(): Promise<void>;
}

/** Accepts an empty answer. */
export const isDone = (answer: unknown): answer is null => answer === null;

/** Starts a program in a child process. */
export const startChild = (program: URL): Child => {
  const child = fork(fileURLToPath(program), { execArgv: ['--conditions=source', `--import=${TSX}`] });
  const exited = once(child, 'exit');
  const died = exited.then(([code]) => Promise.reject(new Error(`${program.pathname} ended with ${code}`)));
  died.catch(() => {}); // whoever asks next learns of it
  return {
    async ask(question, isAnswer) {
      child.send([...question]);
      const [answer]: unknown[] = await Promise.race([once(child, 'message'), died]);
      if (isAnswer(answer)) return answer;
      throw new Error(`${program.pathname}: not an answer: ${JSON.stringify(answer)}`);
    },
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
};

/** Answers the questions of the drill, in a child process. Exits with the drill. */
export const onQuestion = (answer: (...question: readonly unknown[]) => unknown): void => {
  process.on('message', async (question) => {
    if (Array.isArray(question)) process.send?.((await answer(...question)) ?? null);
  });
  process.on('disconnect', () => process.exit());
};
