import { setTimeout as sleep } from 'node:timers/promises';
import { addUp, createMetrics, type Metrics } from '../../http/observe/metrics.ts';

/** How long a worker may take to give its metrics, in milliseconds: a scrape does not wait for one that is stuck. */
const WITHIN = 1000;

type Collected = readonly object[];

const isTotal = (metric: object): boolean => 'type' in metric && metric.type !== 'gauge';

/** Creates the metrics of a group of processes: those of this process and of its workers, added up. */
export const createGroupMetrics = <Worker>() => {
  const own = createMetrics();
  const latest = new Map<Worker, Collected>();
  /** One question at a time: those to a worker that is stuck do not pile up. */
  const asked = new Map<Worker, Promise<Collected>>();
  let ended: Collected = [];

  const collectFrom = async (worker: Worker, collect: Metrics['collect']): Promise<Collected> => {
    const answer = asked.get(worker) ?? collect().finally(() => asked.delete(worker));
    asked.set(worker, answer);
    const inTime = Promise.race([answer, sleep(WITHIN, undefined, { ref: false })]);
    const collected = await inTime.catch(() => undefined);
    if (collected) latest.set(worker, collected);
    return collected ?? latest.get(worker) ?? [];
  };

  return {
    collectFrom,
    /** Keeps the last known totals of a worker that has ended: a total that falls would look like a restart of all. */
    keepTotals(worker: Worker): void {
      ended = addUp([ended, (latest.get(worker) ?? []).filter(isTotal)]).getMetricsAsArray();
      latest.delete(worker);
    },
    async render(workers: Iterable<readonly [Worker, Metrics['collect']]>) {
      const each = Array.from(workers, ([worker, collect]) => collectFrom(worker, collect));
      const all = addUp([await own.collect(), ended, ...(await Promise.all(each))]);
      return { mediaType: all.contentType, text: await all.metrics() };
    },
  };
};
