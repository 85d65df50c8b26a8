/**
 * Serves the document that is made to be hard, in the same way as the service serves its own. Operations with a JSON body
 * return it, the others answer 204.
 */
import { dumpExact } from '../../../packages/openapi/src/document/yaml.ts';
import { loadDocument } from '../../../packages/openapi/src/files/load.ts';
import { createContract } from '../../../packages/server/src/contract/contract.ts';
import { createApp } from '../../../packages/server/src/http/app.ts';
import { createMetrics } from '../../../packages/server/src/http/observe/metrics.ts';
import { createRequestObserver } from '../../../packages/server/src/http/observe/request-observer.ts';
import { createHttpServer } from '../../../packages/server/src/http/server.ts';
import { DOCUMENT, OPERATIONS } from './hard.ts';

const log = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const document = await loadDocument('the document of the drill', async () => dumpExact(DOCUMENT));
const echo = async ({ body }: { readonly body: unknown }) => ({ status: 200, body });
const answerEmpty = async () => ({ status: 204 });
const contract = await createContract({
  document,
  handlers: Object.fromEntries(
    OPERATIONS.map(({ path, type }) => [path, type === 'application/json' ? echo : answerEmpty]),
  ),
  authenticators: {},
  maxBodyBytes: 102_400,
});
const metrics = createMetrics();
const error = (details: object) => log({ level: 50, msg: 'request failed', ...details });
const lines = { debug() {}, info() {}, warn() {}, error };
const observer = createRequestObserver({ log: lines, handlerLog: lines, metrics });
const app = createApp({ contract, observer, metrics, check: async () => undefined, document });
log({ msg: 'listening', address: await createHttpServer(app, observer).listen(0, '127.0.0.1') });
