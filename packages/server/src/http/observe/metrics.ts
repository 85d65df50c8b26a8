import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import { createRequestMetrics } from './request-metrics.ts';
import { createStoreMetrics, type MetricsSource } from './store-metrics.ts';

/** Adds up what several processes have collected: the metrics of one service. */
export const addUp = (collected: readonly (readonly object[])[]): MetricsSource =>
  AggregatorRegistry.aggregate(collected.map((metrics) => [...metrics]));

/** Creates the Prometheus metrics of one service: of its requests, its store, its tasks, and the Node.js process. */
export const createMetrics = (store = createStoreMetrics(), collectTasks: () => object[] = () => []) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = createRequestMetrics();

  return {
    requests,
    store,
    /** All metrics in the text format of Prometheus, and its media type. */
    async render(): Promise<{ readonly mediaType: string; readonly text: string }> {
      const [ofProcess, ofStore] = await Promise.all([registry.metrics(), store.source.metrics()]);
      const ofRequests = await addUp([[...requests.collect(), ...collectTasks()]]).metrics();
      return { mediaType: registry.contentType, text: [ofProcess, ofStore, ofRequests].join('\n') };
    },
    /** All metrics, for `addUp`. */
    collect: async (): Promise<object[]> =>
      [
        await Promise.all([registry.getMetricsAsJSON(), store.source.getMetricsAsJSON()]),
        requests.collect(),
        collectTasks(),
      ].flat(2),
  };
};

/** The metrics of one service. */
export type Metrics = ReturnType<typeof createMetrics>;
