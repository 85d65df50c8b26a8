import type { Metrics } from '../../http/observe/metrics.ts';

/** The calls from a worker to the process that started it. */
export type GroupCalls = {
  /** Tells that the worker is about to stop listening, and gives whether it is the last to do so. */
  readonly leave: () => Promise<boolean>;
  /**
   * Settles once it is the turn of this worker to run the background tasks. It has the turn until it ends it, or until
   * its process ends. So no message that is late or lost gives two workers the turn.
   */
  readonly takeTurn: () => Promise<void>;
  /** Ends the turn of this worker, or its wait for it. */
  readonly endTurn: () => Promise<void>;
  /** The metrics of all processes together. */
  readonly renderMetrics: Metrics['render'];
};

/** The calls to a worker from the process that started it, once the worker listens. It stops a worker with SIGTERM. */
export type MemberCalls = {
  readonly collectMetrics: Metrics['collect'];
};
