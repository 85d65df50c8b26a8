import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Killed when the benchmark exits, however it exits. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a process that does not outlive this one. */
export const startChild = (command: string, args: readonly string[], options: SpawnOptions): ChildProcess => {
  const child = spawn(command, args, options);
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
};

/** Ends a process with SIGTERM, and with SIGKILL if that takes too long. */
export const endChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  const hurry = setTimeout(() => child.kill('SIGKILL'), 15_000);
  child.kill('SIGTERM');
  await closed;
  clearTimeout(hurry);
};

/** Runs a process to its end, within a number of seconds, and returns its output. Throws with its error output. */
export const runChild = async (
  command: string,
  args: readonly string[],
  { within, onStart, ...options }: SpawnOptions & { within: number; onStart?: (pid: number) => void },
): Promise<string> => {
  const child = startChild(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const failed = once(child, 'error').then(([error]) => Promise.reject(error));
  const closed = once(child, 'close');
  const written = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    written.out += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    written.err += chunk;
  });
  const deadline = setTimeout(() => child.kill('SIGKILL'), within * 1000);
  if (child.pid !== undefined) onStart?.(child.pid);
  await Promise.race([closed, failed]);
  clearTimeout(deadline);
  if (child.exitCode === 0) return written.out;
  throw new Error(
    `${command} ended with ${child.exitCode ?? child.signalCode}: ${written.err || written.out}`,
  );
};

/** How long a server may take to start, in milliseconds. */
const START_TIMEOUT = 60_000;

/** Resolves to the address in a server's `listening` log line; rejects if the server ends or logs none in time. */
export const addressOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = '';
    const deadline = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT);
    const listen = (chunk: Buffer): void => {
      output += chunk;
      const address = /"listening"/.test(output) && /"address":"([^"]+)"/.exec(output)?.[1];
      if (!address) return;
      child.stdout?.off('data', listen).resume(); // the rest of the log must be drained, or the server would block
      clearTimeout(deadline);
      resolve(address);
    };
    child.stdout?.on('data', listen);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(deadline);
      reject(new Error(`the server did not start: ${output}`));
    });
  });
