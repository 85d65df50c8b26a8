import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The loader that lets a process run TypeScript. */
export const TSX = new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;

/** A program of the drill in its own process, so that the work of the drill does not delay what it measures. */
export interface Child {
  /** Sends a question and returns the answer. */
  ask<T>(question: readonly unknown[], isAnswer: (answer: unknown) => answer is T): Promise<T>;
  end(): Promise<void>;
}

/** Accepts an empty answer. */
export const isDone = (answer: unknown): answer is null => answer === null;

const isMessage = (value: unknown): value is { readonly id: number; readonly answer: unknown } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'number';

/** Starts a program in a child process. */
export const startChild = (program: URL): Child => {
  const child = fork(fileURLToPath(program), { execArgv: [`--import=${TSX}`] });
  const waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let questions = 0;
  child.on('message', (message) => {
    if (!isMessage(message)) return;
    waiting.get(message.id)?.resolve('answer' in message ? message.answer : null);
    waiting.delete(message.id);
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`${program.pathname} ended with ${code}`));
  });
  return {
    async ask(question, isAnswer) {
      questions += 1;
      const id = questions;
      const answer = await new Promise<unknown>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        child.send({ id, question });
      });
      if (isAnswer(answer)) return answer;
      throw new Error(`${program.pathname}: not an answer: ${JSON.stringify(answer)}`);
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
};
