/** The service with as many operations as OPERATIONS says: its own, and others that are stubs. As service.ts does in production. */
import { fileURLToPath } from 'node:url';
import { loadDocument } from '../../../packages/openapi/src/files/load.ts';
import { createStaticTokens } from '../../../packages/server/src/auth/static-tokens.ts';
import { createContract } from '../../../packages/server/src/contract/contract.ts';
import { stub } from '../../../packages/server/src/contract/reply/stub.ts';
import { createApp } from '../../../packages/server/src/http/app.ts';
import { createMetrics } from '../../../packages/server/src/http/observe/metrics.ts';
import { createRequestObserver } from '../../../packages/server/src/http/observe/request-observer.ts';
import { createHttpServer } from '../../../packages/server/src/http/server.ts';
import { createLog } from '../../../packages/server/src/program/log/log.ts';
import { createReadyCheck, storeProblem } from '../../../packages/server/src/program/store-problem.ts';
import { createHandlers } from '../../../src/handlers.ts';
import { openSqliteRepository } from '../../../src/storage/sqlite.ts';
import { DATABASE_FILE, TOKEN } from './settings.ts';

const CONTRACT = fileURLToPath(new URL('../../../openapi.yaml', import.meta.url));

const operation = (nth: number) => ({
  operationId: `changeThing${nth}`,
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }],
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', maxLength: nth },
            sizes: { type: 'array', items: { type: 'integer', format: 'int64' } },
            plant: { $ref: '#/components/schemas/NewPlant' },
          },
        },
      },
    },
  },
  responses: {
    200: {
      description: 'Changed',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Plant' } } },
    },
  },
});

const document = await loadDocument(CONTRACT);
const others = Array.from({ length: Number(process.env.OPERATIONS) - 1 }, (_, index) => index + 1);
for (const nth of others)
  Object.assign(document.paths ?? {}, { [`/things/${nth}/{id}`]: { put: operation(nth) } });
const plants = await openSqliteRepository(DATABASE_FILE);
const { log, requests } = createLog('info', process.stdout);
const metrics = createMetrics();
const observer = createRequestObserver({ log: requests, metrics });
const contract = await createContract({
  document,
  handlers: {
    ...Object.fromEntries(others.map((nth) => [`changeThing${nth}`, stub])),
    ...createHandlers(plants),
  },
  authenticators: { bearerAuth: createStaticTokens([{ name: 'bench', token: TOKEN }]) },
  maxBodyBytes: 102_400,
  explain: storeProblem,
});
const app = createApp({ contract, observer, metrics, check: createReadyCheck(plants.check), document });
const { listen } = createHttpServer(app, observer);
log.info({ address: await listen(0, '127.0.0.1') }, 'listening');
