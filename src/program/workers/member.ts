import cluster from 'node:cluster';
import { createLink } from './link.ts';
import type { GroupCalls, MemberCalls } from './protocol.ts';

/** What a process needs of the group that it is a member of. */
export interface Membership extends GroupCalls {
  /** Whether this process tells people that the service listens: one of the group does. */
  readonly isFirst: boolean;
  /** Lets the group call. */
  readonly serve: (calls: MemberCalls) => void;
}

/** A process that does not serve yet. */
const STARTING: MemberCalls = {
  stop: async () => process.exit(),
  collectMetrics: async () => [],
};

/** Joins the group of the process that has started this one. */
export const joinGroup = (): Membership => {
  if (!cluster.worker) throw new Error('this process was not started by a group');
  let served = STARTING;
  const call = createLink<GroupCalls, MemberCalls>(cluster.worker, {
    stop: () => served.stop(),
    collectMetrics: () => served.collectMetrics(),
  });
  process.on('SIGINT', () => {}); // a terminal interrupts all processes, and the group stops this one
  return {
    isFirst: cluster.worker.id === 1,
    serve(calls) {
      served = calls;
    },
    askOwner: (what) => call('askOwner', what),
    leave: () => call('leave', undefined),
    left: () => call('left', undefined),
    complete: () => call('complete', undefined),
    renderMetrics: () => call('renderMetrics', undefined),
  };
};
