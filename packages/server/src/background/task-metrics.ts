import type { BackgroundTask, TaskMetric } from './task.ts';

/** The metrics of every task, by the number that they show. */
const METRICS = [
  {
    count: 'runs',
    name: 'background_runs_total',
    help: 'Starts of background tasks, those after a failure included.',
    type: 'counter',
  },
  {
    count: 'failures',
    name: 'background_failures_total',
    help: 'Runs of background tasks that failed.',
    type: 'counter',
  },
  {
    count: 'running',
    name: 'background_running',
    help: 'Whether a background task runs now, in any process of this service.',
    type: 'gauge',
  },
] as const;

/** Counts the runs of tasks, for Prometheus. */
export const createTaskMetrics = (tasks: readonly BackgroundTask[]) => {
  const counts = new Map(tasks.map((task) => [task, { runs: 0, failures: 0, running: 0 }]));
  const ownMetrics = (): readonly TaskMetric[] =>
    METRICS.map(({ count, ...metric }) => ({
      ...metric,
      values: Array.from(counts, ([{ name }, counted]) => ({
        labels: { task: name },
        value: counted[count],
      })),
    }));

  return {
    add(task: BackgroundTask, count: 'runs' | 'failures' | 'running', value = 1): void {
      const counted = counts.get(task);
      if (counted) counted[count] += value;
    },
    /** The names of the tasks that run now. */
    running: (): string[] => [...counts].flatMap(([{ name }, { running }]) => (running > 0 ? [name] : [])),
    /** Collects all metrics, including the tasks' own ones, in the JSON format of prom-client. */
    collect: (): object[] =>
      [...(tasks.length > 0 ? ownMetrics() : []), ...tasks.flatMap(({ metrics }) => metrics?.() ?? [])].map(
        (metric) => ({
          ...metric,
          aggregator: 'sum',
          values: metric.values.map(({ labels = {}, value }) => ({ labels, value })),
        }),
      ),
  };
};
