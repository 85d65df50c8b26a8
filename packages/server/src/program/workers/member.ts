import cluster from 'node:cluster';
import type { TakeLock } from '../../engines/lock.ts';
import { createLink } from './link.ts';
import type { GroupCalls, MemberCalls } from './protocol.ts';

/** What a process needs of the group that it is a member of. */
export interface Membership extends Omit<GroupCalls, 'join' | 'takeTurn' | 'endTurn'> {
  /**
   * Whether this process is the first of a service that starts. Others join a group that serves, and start with whatever
   * its running processes put up with: without them there would be no service.
   */
  readonly isFirst: boolean;
  /** Waits until it is the turn of this process to run the background tasks. It keeps the turn until it releases it. */
  readonly takeTurn: TakeLock;
  /** Lets the group call. */
  readonly serve: (calls: MemberCalls) => void;
}

/** A process that does not serve yet. */
const STARTING: MemberCalls = {
  stop: async () => process.exit(),
  collectMetrics: async () => [],
};

const NEVER = new AbortController().signal;

/** Joins the group of the process that has started this one; ends this process if the group stops. */
export const joinGroup = async (): Promise<Membership> => {
  if (!cluster.worker) throw new Error('this process was not started by a group');
  let served = STARTING;
  const call = createLink<GroupCalls, MemberCalls>(cluster.worker, {
    stop: () => served.stop(),
    collectMetrics: () => served.collectMetrics(),
  });
  // A terminal, or a kill by name, signals all processes. The group decides for this one.
  for (const each of ['SIGINT', 'SIGUSR2']) process.on(each, () => {});
  if (!(await call('join', undefined).catch(() => false))) process.exit();
  const endTurn = () => call('endTurn', undefined);
  return {
    isFirst: cluster.worker.id === 1,
    serve(calls) {
      served = calls;
    },
    async takeTurn(signal) {
      const stopWaiting = () => void endTurn().catch(() => {}); // the group has ended, and this process ends too
      signal.addEventListener('abort', stopWaiting);
      await call('takeTurn', undefined);
      signal.removeEventListener('abort', stopWaiting);
      return { lost: NEVER, release: endTurn };
    },
    askOwner: (what) => call('askOwner', what),
    leave: () => call('leave', undefined),
    left: () => call('left', undefined),
    complete: () => call('complete', undefined),
    renderMetrics: () => call('renderMetrics', undefined),
  };
};
