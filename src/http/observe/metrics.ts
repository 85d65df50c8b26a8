import { collectDefaultMetrics, Registry } from 'prom-client';
import { createRequestFigures } from './request-figures.ts';
import { createStoreFigures } from './store-figures.ts';

/** The figures of one service, for Prometheus: those of Node.js and its process are prom-client's. */
export const createMetrics = (store = createStoreFigures()) => {
  const registry = new Registry();
  const requests = createRequestFigures();
  collectDefaultMetrics({ register: registry });

  return {
    requests,
    /** Is told how the store is doing. */
    store,
    /** All figures in the text format of Prometheus, and its media type. */
    async render(): Promise<{ readonly mediaType: string; readonly text: string }> {
      const own = [...store.render(), ...requests.render()].map((line) => `${line}\n`);
      return { mediaType: registry.contentType, text: (await registry.metrics()) + own.join('') };
    },
  };
};

/** The figures of one service. */
export type Metrics = ReturnType<typeof createMetrics>;
