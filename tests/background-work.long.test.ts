import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createService, createStaticTokens } from '../packages/server/src/index.ts';
import { THINGS_FILE, TOKEN } from '../packages/server/tests/support/service.ts';
import { createThingHandlers, createThings } from '../packages/server/tests/support/things.ts';
import { until } from './support/postgres/conditions.ts';
import { importSample } from './support/samples.ts';
import { temporaryFolders } from './support/temporary.ts';

const makeFolder = temporaryFolders();
const PAGE = 'docs/how-to/background-work.md';

test('the scheduled work of the guide deletes expired rows, and reports their number', async () => {
  const { background } = await importSample(await makeFolder(), PAGE, 'Scheduled work');
  const lines: object[] = [];
  const ignore = () => {};
  const { stop } = await createService(
    {
      name: 'things',
      version: '1.0.0',
      contract: THINGS_FILE,
      openStore: async () => undefined,
      handlers: () => createThingHandlers(createThings()),
      background: () => background({ deleteExpired: async (before: Date) => (before <= new Date() ? 3 : 0) }),
    },
    {
      tokens: createStaticTokens([{ name: 'tests', token: TOKEN }]),
      log: {
        debug: ignore,
        warn: ignore,
        error: ignore,
        info: (details, message) => lines.push({ ...details, message }),
      },
    },
  );
  await until('it is logged', async () => lines.length > 0 || undefined);
  await stop();
  expect(lines).toEqual([{ task: 'expire-sessions', deleted: 3, message: 'sessions expired' }]);
});

test('the outbox of the guide tells the warehouse of an order', async () => {
  const folder = await makeFolder();
  const { openStore, background, placeOrder } = await importSample(folder, PAGE, 'An outbox');
  const calls: string[][] = [];
  const warehouse = createServer(async (request, response) => {
    calls.push([await text(request), String(request.headers['idempotency-key'])]);
    response.writeHead(calls.length === 1 ? 503 : 204).end();
  }).listen(0, '127.0.0.1');
  await once(warehouse, 'listening');
  const address = warehouse.address();
  process.env.WAREHOUSE_URL = `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
  const store = await openStore({ databaseUrl: `sqlite:${join(folder, 'shop.db')}` }, {});
  const ending = new AbortController();
  const ignore = () => {};
  const [{ run }] = background(store);
  const ran = run({
    signal: ending.signal,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  try {
    await placeOrder(store, 2n ** 62n, 'Fern');
    await until('it is logged again', async () => calls.length === 2 || undefined);
    expect(calls).toEqual([
      ['{"item":"Fern"}', expect.stringMatching(/^[0-9a-f-]{36}$/)],
      ['{"item":"Fern"}', calls[0]?.[1]],
    ]);
  } finally {
    ending.abort();
    await ran;
    await store.close();
    warehouse.closeAllConnections();
    warehouse.close();
  }
});
