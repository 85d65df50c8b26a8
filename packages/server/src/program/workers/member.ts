import cluster from 'node:cluster';
import type { TakeLock } from '../../background/task.ts';
import type { Metrics } from '../../http/observe/metrics.ts';
import { createLink, type GroupCalls, type MemberCalls } from './link.ts';

/** The interface of a group to its processes. */
export interface Membership extends Pick<GroupCalls, 'leave' | 'renderMetrics'> {
  /**
   * Whether this process is the first of a service that starts. Others join a group that serves, and start with whatever
   * its running processes put up with: without them there would be no service.
   */
  readonly isFirst: boolean;
  /** Waits until it is the turn of this process to run the background tasks. It keeps the turn until it releases it. */
  readonly takeTurn: TakeLock;
  /** Lets the group collect the metrics of this process, which listens now. */
  readonly serve: (collectMetrics: Metrics['collect']) => void;
}

const NEVER = new AbortController().signal;

/** Joins the group of the process that has started this one. */
export const joinGroup = (): Membership => {
  if (!cluster.worker) throw new Error('this process was not started by a group');
  let collectMetrics: Metrics['collect'] = async () => [];
  const call = createLink<GroupCalls, MemberCalls>(cluster.worker, {
    collectMetrics: () => collectMetrics(),
  });
  process.on('SIGINT', () => {}); // a terminal signals all processes; the group decides for this one
  // Without its parent, Node calls `process.exit`, in which a thread of SQLite that is at work aborts the process.
  process.prependListener('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const release = () => call('endTurn');
  return {
    isFirst: cluster.worker.id === 1,
    serve(collect) {
      collectMetrics = collect;
      process.on('SIGTERM', () => {}); // a supervisor may send it too, and a second one must not end a stop
    },
    async takeTurn(signal) {
      const stopWaiting = () => void release().catch(() => {}); // the group has ended, and this process ends too
      signal.addEventListener('abort', stopWaiting);
      await call('takeTurn');
      signal.removeEventListener('abort', stopWaiting);
      return { lost: NEVER, release };
    },
    leave: () => call('leave'),
    renderMetrics: () => call('renderMetrics'),
  };
};
