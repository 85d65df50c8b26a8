import { setTimeout as sleep } from 'node:timers/promises';
import { addUp, createMetrics } from '../../http/observe/metrics.ts';
import type { Call } from './link.ts';
import type { MemberCalls } from './protocol.ts';

/** How long a worker may take to give its metrics, in milliseconds: a scrape does not wait for one that is stuck. */
const WITHIN = 1000;

const collectInTime = (call: Call<MemberCalls>): Promise<object[]> =>
  Promise.race([call('collectMetrics'), sleep(WITHIN, [], { ref: false })]).catch(() => []); // it has ended

/** Creates a function that renders the metrics of a group: the sums over this process and its workers. */
export const createGroupMetrics = () => {
  const own = createMetrics();
  return async (workers: readonly Call<MemberCalls>[]) => {
    const all = addUp(await Promise.all([own.collect(), ...workers.map(collectInTime)]));
    return { mediaType: all.contentType, text: await all.metrics() };
  };
};
