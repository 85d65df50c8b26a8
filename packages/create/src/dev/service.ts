import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createPrettyLines } from '@trellis/server/internal';
import { endChild, startChild } from './child.ts';

/** The service, run from its sources. */
export interface DevService {
  /** Starts it, in place of the one that runs. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes the service that `npm run dev` restarts. `onEnd` is called when it ends by itself. */
export const createDevService = (conditions: readonly string[], onEnd: () => void): DevService => {
  const { stdout } = process;
  const isPretty = stdout.isTTY && process.env.LOG_FORMAT !== 'json';
  const renderLine = createPrettyLines(isPretty && stdout.hasColors());
  let current: ChildProcess | undefined;
  /** Whether to read its log: a terminal gets the banner of the first start, and only the log of the others. */
  let isRead = false;

  const start = (): ChildProcess => {
    const child = startChild(
      [...conditions.map((each) => `--conditions=${each}`), '--import', 'tsx', 'src/main.ts'],
      ['inherit', isRead ? 'pipe' : 'inherit', 'inherit'],
      {
        DRAIN_MS: '0', // no load balancer to wait for
        ...process.env,
        WORKERS: '1',
        ...(isRead && { LOG_FORMAT: 'json' }),
      },
    );
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!child.killed) stdout.write(`${renderLine(line).trimEnd()}\n`); // the log of a stopping service is dropped
      });
    child.once('exit', () => {
      if (current !== child) return;
      current = undefined;
      onEnd();
    });
    return child;
  };

  const stop = async (): Promise<void> => {
    const child = current;
    current = undefined;
    if (child) await endChild(child);
  };

  return {
    async restart() {
      await stop();
      current = start();
      isRead = isPretty;
    },
    stop,
  };
};
