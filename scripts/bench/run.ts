import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program to its end, within a number of seconds, and returns its output. Throws with its error output. */
export const runProgram = async (
  command: string,
  args: readonly string[],
  { within, onStart, ...options }: SpawnOptions & { within: number; onStart?: (pid: number) => void },
): Promise<string> => {
  const child = spawn(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: within * 1000,
    killSignal: 'SIGKILL',
  });
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.err += chunk;
  });
  const kill = () => child.kill('SIGKILL'); // it does not outlive this process
  process.once('exit', kill);
  if (child.pid !== undefined) onStart?.(child.pid);
  await once(child, 'close').finally(() => process.off('exit', kill));
  if (child.exitCode === 0) return written.out;
  throw new Error(
    `${command} ended with ${child.exitCode ?? child.signalCode}: ${written.err || written.out}`,
  );
};
