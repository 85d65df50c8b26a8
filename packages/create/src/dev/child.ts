import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ends a program with `npm run dev`, even if that is killed. The channel alone must not keep the program alive. */
const END_WITH_PARENT = `
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();`;

/** The same code as a module. It is encoded, because Node 20 drops everything after a question mark. */
const MODULE = `data:text/javascript,${encodeURIComponent(END_WITH_PARENT)}`;

/** Starts a program of Node that ends with this one. */
export const startChild = (
  args: readonly string[],
  stdio: Exclude<StdioOptions, string>,
  env: NodeJS.ProcessEnv = process.env,
): ChildProcess => spawn(process.execPath, ['--import', MODULE, ...args], { stdio: [...stdio, 'ipc'], env });

/** Ends a program, and waits until it has ended. */
export const endChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
};
