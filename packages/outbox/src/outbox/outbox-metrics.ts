import type { TaskMetric } from '@trellis/server/internal';

/** The outcome of an attempt. */
export type Outcome = 'delivered' | 'failed' | 'dead';

/** The measured state of the queue. */
interface Levels {
  readonly pending: number;
  readonly dead: number;
  readonly oldest: number | undefined;
}

/** Creates the metrics of an outbox. */
export const createOutboxMetrics = (topics: readonly string[]) => {
  const counts = new Map(topics.map((topic) => [topic, { delivered: 0, failed: 0, dead: 0 }]));
  let levels: Levels | undefined;

  const counter = (name: string, help: string, outcome: Outcome): TaskMetric => ({
    name,
    help,
    type: 'counter',
    values: Array.from(counts, ([topic, { [outcome]: value }]) => ({ labels: { topic }, value })),
  });
  const gauge = (name: string, help: string, value: number | undefined): TaskMetric => ({
    name,
    help,
    type: 'gauge',
    values: value === undefined ? [] : [{ value }],
  });

  return {
    count(topic: string, outcome: Outcome): void {
      const counted = counts.get(topic);
      if (counted) counted[outcome] += 1;
    },
    /** Shows how full the outbox is. Only the process that delivers has this number. */
    show(measured: Levels | undefined): void {
      levels = measured;
    },
    collect: (): TaskMetric[] => [
      counter('outbox_delivered_total', 'Events that were delivered.', 'delivered'),
      counter('outbox_failures_total', 'Attempts to deliver an event that failed.', 'failed'),
      counter('outbox_dead_total', 'Events that were given up.', 'dead'),
      gauge('outbox_pending', 'Events that wait, 100,000 at most.', levels?.pending),
      gauge('outbox_dead_letters', 'Events that were given up and are kept, 100,000 at most.', levels?.dead),
      gauge(
        'outbox_oldest_seconds',
        'The age of the oldest event that waits; 0 if none does.',
        levels && (levels.oldest === undefined ? 0 : Math.max(0, Date.now() - levels.oldest) / 1000),
      ),
    ],
  };
};

/** The metrics of an outbox. */
export type OutboxMetrics = ReturnType<typeof createOutboxMetrics>;
