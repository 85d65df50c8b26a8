import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The service, run from its sources. */
export interface DevService {
  /** Starts it with the terminal as its output, where it prints its own banner. */
  startOnTerminal(): void;
  /** Starts or restarts it; resolves to its address, or to `undefined` if it ends before it listens. */
  restart(): Promise<string | undefined>;
  stop(): Promise<void>;
}

const END_WITH_PARENT = new URL('./end-with-parent.ts', import.meta.url).href;

const addressIn = (line: string): string | undefined =>
  /"address":"([^"]+)".*"msg":"listening"/.exec(line)?.[1];

/**
 * Makes the service that `npm run dev` restarts. It prints the lines of its log, which are JSON, except the one with its
 * address.
 */
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
      env: {
        DRAIN_MS: '0', // no load balancer to wait for
        ...process.env,
        ...(stdout === 'pipe' && { LOG_FORMAT: 'json' }), // it is read here
      },
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
        else if (!started.killed) print(line); // what it logs while it stops is of no interest
      });
      started.once('exit', () => resolve(undefined));
    });
  };

  return { startOnTerminal: () => void run('inherit'), restart, stop };
};
