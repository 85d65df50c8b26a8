import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The service, run from its sources. */
export interface DevService {
  /** Starts it on a terminal, where it says itself who it is. */
  introduce(): void;
  /** Starts it, or starts it anew; tells where it listens, or nothing if it has ended instead. */
  restart(): Promise<string | undefined>;
  stop(): Promise<void>;
}

const END_WITH_PARENT = new URL('./end-with-parent.ts', import.meta.url).href;

const addressIn = (line: string): string | undefined =>
  /"address":"([^"]+)".*"msg":"listening"/.exec(line)?.[1];

/** Runs the service; the lines of its log are handed on, all but the one that it listens. */
export const createDevService = (file: string, print: (line: string) => void): DevService => {
  let child: ChildProcess | undefined;

  const stop = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };

  const run = (stdout: 'inherit' | 'pipe'): ChildProcess => {
    child = spawn(process.execPath, ['--import', 'tsx', '--import', END_WITH_PARENT, file], {
      stdio: ['inherit', stdout, 'inherit', 'ipc'],
      env: { DRAIN_MS: '0', ...process.env }, // nobody has to be told; whoever edits wants to see the change
    });
    return child;
  };

  const restart = async (): Promise<string | undefined> => {
    await stop();
    const started = run('pipe');
    return new Promise((resolve) => {
      if (!started.stdout) return resolve(undefined);
      createInterface({ input: started.stdout }).on('line', (line) => {
        const address = addressIn(line);
        if (address !== undefined) resolve(address);
        else if (!started.killed) print(line); // that it stops is not news
      });
      started.once('exit', () => resolve(undefined));
    });
  };

  return { introduce: () => void run('inherit'), restart, stop };
};
