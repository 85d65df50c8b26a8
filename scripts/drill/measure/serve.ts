import { dumpExact } from '../../../packages/openapi/src/document/yaml.ts';
import { loadDocument } from '../../../packages/openapi/src/files/load.ts';
import { createContract } from '../../../packages/server/src/contract/contract.ts';
import { createApp } from '../../../packages/server/src/http/app.ts';
import { createMetrics } from '../../../packages/server/src/http/observe/metrics.ts';
import { createRequestObserver } from '../../../packages/server/src/http/observe/request-observer.ts';
import { createHttpServer } from '../../../packages/server/src/http/server.ts';

/** The request that a handler of the drill receives. */
export interface HandlerRequest {
  readonly body: unknown;
}

const log = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** Serves an OpenAPI document of the drill in the same way as the service serves its own, and logs the address. */
export const serve = async (
  document: object,
  handlers: Readonly<Record<string, (request: HandlerRequest) => Promise<object>>>,
): Promise<void> => {
  const loaded = await loadDocument('the document of the drill', async () => dumpExact(document));
  // Handlers have the types of this repository's contract. These have not, so they lose their types here.
  const entries: unknown[][] = Object.entries(handlers);
  const contract = await createContract({
    document: loaded,
    handlers: Object.fromEntries(entries),
    authenticators: {},
    maxBodyBytes: 102_400,
  });
  const metrics = createMetrics();
  const error = (details: object) => log({ level: 50, msg: 'request failed', ...details });
  const observer = createRequestObserver({ log: { debug() {}, info() {}, error }, metrics });
  const app = createApp({ contract, observer, metrics, check: async () => undefined, document: loaded });
  const address = await createHttpServer(app, observer).listen(0, '127.0.0.1');
  log({ msg: 'listening', address });
};
