import { createContract } from '../../../src/contract/contract.ts';
import { loadDocument } from '../../../src/contract/document/load.ts';
import { createApp } from '../../../src/http/app.ts';
import { createMetrics } from '../../../src/http/observe/metrics.ts';
import { createRequestObserver } from '../../../src/http/observe/request-observer.ts';
import { createHttpServer } from '../../../src/http/server.ts';

/** What a handler of the drill is given. */
export interface Asked {
  readonly body: unknown;
}

const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Serves a document of the drill as the service serves its own, and says where. */
export const serve = async (
  document: object,
  handlers: Readonly<Record<string, (asked: Asked) => Promise<object>>>,
): Promise<void> => {
  const loaded = await loadDocument('the document of the drill', async () => document);
  // The types of handlers are those of this repository's own contract; entries have no type of their own.
  const entries: unknown[][] = Object.entries(handlers);
  const contract = await createContract({
    document: loaded,
    handlers: Object.fromEntries(entries),
    authenticators: {},
    maxBodyBytes: 102_400,
  });
  const metrics = createMetrics();
  const error = (details: object) => tell({ level: 50, msg: 'request failed', ...details });
  const observer = createRequestObserver({ log: { debug() {}, info() {}, error }, metrics });
  const app = createApp({ contract, observer, metrics, check: async () => undefined, document: loaded });
  const address = await createHttpServer(app, observer).listen(0, '127.0.0.1');
  tell({ msg: 'listening', address });
};
