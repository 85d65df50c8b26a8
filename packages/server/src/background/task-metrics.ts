import type { BackgroundTask, TaskMetric } from './task.ts';

type Count = 'runs' | 'failures' | 'running';

/** Counts the runs of tasks, for Prometheus. */
export const createTaskMetrics = (tasks: readonly BackgroundTask[]) => {
  const counts = new Map(tasks.map((task) => [task, { runs: 0, failures: 0, running: 0 }]));
  const metric = (count: Count, name: string, type: TaskMetric['type'], help: string): TaskMetric => ({
    name: `background_${name}`,
    help,
    type,
    values: Array.from(counts, ([task, counted]) => ({ labels: { task: task.name }, value: counted[count] })),
  });
  const ownMetrics = (): TaskMetric[] => [
    metric('runs', 'runs_total', 'counter', 'Starts of background tasks, those after a failure included.'),
    metric('failures', 'failures_total', 'counter', 'Runs of background tasks that failed.'),
    metric(
      'running',
      'running',
      'gauge',
      'Whether a background task runs now, in any process of this service.',
    ),
  ];

  return {
    add(task: BackgroundTask, count: Count, value = 1): void {
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
