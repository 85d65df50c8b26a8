import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { moduleBeside } from '../beside.ts';

/** Checks the types of the project beside everything else. */
export interface Types {
  /** Asks for a check. Only the result of the last one is told. */
  check(): void;
  /** Forgets a check that is not finished: its result is out of date. */
  cancel(): void;
}

const CHECKER = fileURLToPath(moduleBeside('./type-checker', import.meta.url));

/** Makes a check of types in a process of its own, which tells `onResult` the errors it finds. */
export const createTypes = (onResult: (errors: readonly string[]) => void): Types => {
  /** The number of the last check. */
  let latest = 0;
  let checker: ChildProcess | undefined;
  const start = (): ChildProcess => {
    const child = fork(CHECKER);
    child.on('message', (message) => {
      if (typeof message !== 'object' || !('number' in message) || !('errors' in message)) return;
      if (message.number === latest && Array.isArray(message.errors)) onResult(message.errors);
    });
    child.once('exit', () => {
      checker = undefined; // the next check starts another
    });
    return child;
  };
  return {
    check: () => {
      latest += 1;
      checker ??= start();
      checker.send(latest);
    },
    cancel: () => {
      latest += 1;
    },
  };
};
