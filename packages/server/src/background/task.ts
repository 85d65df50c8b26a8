import type { HandlerLog } from '@trellis/contract';

/** The context of a background task. */
export interface TaskContext {
  /** Aborted when the service stops, or when another process takes over: the task should end soon. */
  readonly signal: AbortSignal;
  /** The log of the service. Every line names the task. */
  readonly log: HandlerLog;
}

/** A metric of a task, for /metrics. With several workers, the values of all of them are added up. */
export interface TaskMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly values: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/** Work beside requests. Of all processes that share a store, one runs it at a time. */
export interface BackgroundTask {
  /** What logs and metrics call it. */
  readonly name: string;
  /** Works until its signal is aborted, or until it is done. If it rejects, it is run again after a pause. */
  readonly run: (context: TaskContext) => Promise<void>;
  /** Returns the task's own metrics. */
  readonly metrics?: () => readonly TaskMetric[];
}
