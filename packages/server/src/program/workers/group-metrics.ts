import { setTimeout as sleep } from 'node:timers/promises';
import { addUp, createMetrics, type Metrics } from '../../http/observe/metrics.ts';

/** How long a worker may take to give its metrics, in milliseconds: a scrape does not wait for one that is stuck. */
const WITHIN = 1000;

const inTime = (collect: Metrics['collect']): Promise<object[]> =>
  Promise.race([collect(), sleep(WITHIN, [], { ref: false })]).catch(() => []); // it has ended

/** Creates what renders the metrics of a group of processes: those of this process and of its workers, added up. */
export const createGroupMetrics = () => {
  const own = createMetrics();
  return async (workers: readonly Metrics['collect'][]) => {
    const all = addUp(await Promise.all([own.collect(), ...workers.map(inTime)]));
    return { mediaType: all.contentType, text: await all.metrics() };
  };
};
