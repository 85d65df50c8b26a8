import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createService } from '@trellis/server';
import { importSample } from './support/samples.ts';
import { temporaryFolders } from './support/temporary.ts';

const makeFolder = temporaryFolders();

const CONTRACT = `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    get:
      operationId: countThings
      security: []
      responses: { "204": { description: There are none. } }
`;

test('the middleware of the guide refuses a client that sends too many requests, and names the time to wait', async () => {
  const folder = await makeFolder();
  const { limitRequests } = await importSample(folder, 'docs/how-to/limit-requests.md', 'In middleware');
  const contract = join(folder, 'openapi.yaml');
  await writeFile(contract, CONTRACT);
  const service = await createService({
    name: 'things',
    version: '1.0.0',
    contract,
    openStore: async () => undefined,
    handlers: () => ({ countThings: async () => ({ status: 204 }) }),
    use: [limitRequests(2)],
  });
  const server = service.app.listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const send = () => fetch(`http://127.0.0.1:${port}/things`);
    expect([(await send()).status, (await send()).status]).toEqual([204, 204]);
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await refused.json()).toMatchObject({ message: 'too many requests; wait a minute' });
  } finally {
    server.closeAllConnections();
    server.close();
    await service.stop();
  }
});
