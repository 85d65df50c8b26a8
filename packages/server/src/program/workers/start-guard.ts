import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createBackoff } from './backoff.ts';

/** Starts the program of the guard. Options of Node are for the service; from the sources, tsx needs them. */
const startProgram = (guarded: string) => {
  const { url } = import.meta;
  const isBuilt = url.endsWith('.js');
  const program = fileURLToPath(new URL(isBuilt ? 'guard.js' : 'guard.ts', url));
  return spawn(process.execPath, [...(isBuilt ? [] : process.execArgv), program, guarded], {
    detached: true, // what a terminal sends to all processes of the service spares it
    stdio: ['pipe', 'ignore', 'ignore'],
    ...(isBuilt && { env: { ...process.env, NODE_OPTIONS: '' } }),
  });
};

/**
 * Starts a small process that kills the workers once this process has ended, however that happened. Workers that can
 * run end by themselves then; one that is suspended or stuck would keep the port. Gives a function to tell which
 * processes are the workers.
 */
export const startGuard = (onLost: (how: object) => void): ((pids: readonly number[]) => void) => {
  const nextPause = createBackoff();
  let guarded = '';
  let tell = () => {};

  const start = (): void => {
    const started = performance.now();
    const guard = startProgram(guarded);
    const startAgain = (how: object): void => {
      onLost(how);
      tell = () => {};
      setTimeout(start, nextPause(performance.now() - started)).unref();
    };
    guard.once('exit', (code, signal) => startAgain({ code, signal }));
    guard.once('error', (err) => startAgain({ err })); // it could not be started
    guard.stdin.on('error', () => {}); // it has ended
    guard.unref();
    tell = () => void guard.stdin.write(`${guarded}\n`);
  };
  start();
  return (pids) => {
    guarded = pids.join(' ');
    tell();
  };
};
