import type { BackgroundTask, TaskMetric } from './task.ts';

/** Counts the runs of tasks, for Prometheus. */
export const createTaskMetrics = (tasks: readonly BackgroundTask[]) => {
  const counts = new Map(tasks.map(({ name }) => [name, { runs: 0, failures: 0, running: 0 }]));
  const values = (count: 'runs' | 'failures' | 'running'): TaskMetric['values'] =>
    Array.from(counts, ([task, { [count]: value }]) => ({ labels: { task }, value }));

  const ownMetrics = (): readonly TaskMetric[] => [
    {
      name: 'background_runs_total',
      help: 'Starts of background tasks, those after a failure included.',
      type: 'counter',
      values: values('runs'),
    },
    {
      name: 'background_failures_total',
      help: 'Runs of background tasks that failed.',
      type: 'counter',
      values: values('failures'),
    },
    {
      name: 'background_running',
      help: 'Whether a background task runs now, in any process of this service.',
      type: 'gauge',
      values: values('running'),
    },
  ];

  const add = (task: string, count: 'runs' | 'failures' | 'running', value: number): void => {
    const counted = counts.get(task);
    if (counted) counted[count] += value;
  };

  return {
    started(task: string): void {
      add(task, 'runs', 1);
      add(task, 'running', 1);
    },
    ended: (task: string): void => add(task, 'running', -1),
    failed: (task: string): void => add(task, 'failures', 1),
    /** The names of the tasks that run now. */
    running: (): string[] => [...counts].flatMap(([task, { running }]) => (running > 0 ? [task] : [])),
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
