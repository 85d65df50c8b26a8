import cluster, { type Worker } from 'node:cluster';
import { type Call, type Calls, createLink } from './link.ts';
import type { MemberCalls } from './protocol.ts';

/** A worker, as the process that has started it sees it. */
export interface WorkerProcess {
  readonly worker: Worker;
  readonly call: Call<MemberCalls>;
  /** A worker does not listen while it starts, or while it stops. It hears calls once it has listened. */
  phase: 'starting' | 'listening' | 'stopping';
  /** Set once the worker was told to stop. */
  isLeaving: boolean;
  /** Settles once the worker listens, with true, or has ended before it did. */
  readonly started: Promise<boolean>;
  /** Settles once the worker will never listen again. */
  readonly left: Promise<void>;
  readonly onLeft: () => void;
  /** Settles once the process has ended, with the reason for the log. */
  readonly ended: Promise<object>;
}

/** Starts a worker on a port, and serves its calls. */
export const startWorkerProcess = (
  port: string,
  callsFor: (find: () => WorkerProcess) => Calls,
): WorkerProcess => {
  const worker = cluster.fork({ PORT: port });
  let onLeft = () => {};
  const left = new Promise<void>((resolve) => {
    onLeft = resolve;
  });
  const listening = new Promise<boolean>((resolve) => worker.once('listening', () => resolve(true)));
  const ended = new Promise<object>((resolve) => {
    worker.once('exit', (code: number | null, signal: string | null) => resolve({ code, signal }));
    // Without a process there is no exit: the system may have too many of them.
    if (worker.process.pid === undefined) worker.process.once('error', (err) => resolve({ err }));
  });
  const started: WorkerProcess = {
    worker,
    call: createLink(
      worker,
      callsFor(() => started),
    ),
    phase: 'starting',
    isLeaving: false,
    started: Promise.race([listening, ended.then(() => false)]),
    left,
    onLeft,
    ended,
  };
  void listening.then(() => {
    started.phase = 'listening';
  });
  void ended.then(onLeft);
  return started;
};
