import type { AskOwner } from '../../engines/options.ts';
import type { Metrics } from '../../http/observe/metrics.ts';

/** What a worker can call in the process that has started it. */
export type GroupCalls = {
  readonly askOwner: AskOwner;
  /** Tells that the worker stops listening, and gives whether it is the last to do so, once the others have done so. */
  readonly leave: () => Promise<boolean>;
  /** Tells that the worker no longer listens. */
  readonly left: () => Promise<void>;
  /** Settles once as many workers listen as there should be. */
  readonly complete: () => Promise<void>;
  /** The metrics of all processes together. */
  readonly renderMetrics: Metrics['render'];
};

/** What the process that starts workers can call in each of them. */
export type MemberCalls = {
  /** Begins to stop. The worker ends once its requests are answered. */
  readonly stop: () => Promise<void>;
  readonly collectMetrics: Metrics['collect'];
};
