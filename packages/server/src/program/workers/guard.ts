import { spawn } from 'node:child_process';
import { codeOf } from '@trellis/openapi/json';
import { createBackoff } from '../../background/backoff.ts';

/**
 * The guard, as a program of the system's shell. Its argument and each line that it reads name the workers. When there is
 * no more to read, this process has ended: workers that can still run have a moment to write their last log lines, then
 * all are killed. Supervisors signal all processes of a service at once, so it ignores signals.
 */
const PROGRAM = `trap '' TERM INT HUP USR2
workers=$1
while read -r line; do workers=$line; done
sleep 0.1
kill -KILL $workers`;

/**
 * Starts a small process that kills the workers once this process has ended, however that happened. Workers that can
 * run end by themselves then; one that is suspended or stuck would keep the port. Gives a function to tell which
 * processes are the workers. A system without a shell has no guard.
 */
export const startGuard = (onLost: (how: object) => void): ((pids: readonly number[]) => void) => {
  const nextPause = createBackoff();
  let guarded = '';
  let tell = () => {};

  const start = (): void => {
    const started = performance.now();
    const guard = spawn('sh', ['-c', PROGRAM, 'guard', guarded], {
      detached: true, // what a terminal sends to all processes of the service spares it
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const startAgain = (how: object): void => {
      onLost(how);
      tell = () => {};
      setTimeout(start, nextPause(performance.now() - started)).unref();
    };
    guard.once('exit', (code, signal) => startAgain({ code, signal }));
    guard.once('error', (err) => codeOf(err) === 'ENOENT' || startAgain({ err })); // it could not be started
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
