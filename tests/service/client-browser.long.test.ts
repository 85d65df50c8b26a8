import { join } from 'node:path';
import express from 'express';
import { createStaticTokens } from '../../src/auth/static-tokens.ts';
import { loadDocument } from '../../src/contract/document/load.ts';
import { createHandlers } from '../../src/handlers.ts';
import { createMemoryRepository } from '../../src/storage/memory.ts';
import { CHROMIUM, useChromium } from '../support/chromium.ts';
import { expressServers } from '../support/express.ts';
import { ROOT } from '../support/scratch.ts';
import { createDocumentApp } from '../support/serve.ts';
import { TOKEN } from '../support/service.ts';
import { CONTRACT_FILE } from './support/service.ts';

/** A page that loads the built client as it is, without a bundler, and shows what two creates answer. */
const PAGE = `<!doctype html><title>Page</title><link rel="icon" href="data:,"><script type="module">
  import { createClient } from '/dist/src/client/client.js';
  const client = createClient({ url: '/store', token: '${TOKEN}' });
  const show = ({ status, body }) => {
    document.body.append(Object.assign(document.createElement('p'), { textContent: status + ' ' + JSON.stringify(body) }));
  };
  show(await client.createPlant({ body: { id: 9223372036854775807n, name: 'Fern', tag: 'Schatten & grün' } }));
  show(await client.createPlant({ body: { id: 9223372036854775807n, name: 'Moss' } }));
  document.body.append(document.createElement('hr'));
</script>`;

const describeIfThere = CHROMIUM === undefined ? describe.skip : describe;

describeIfThere('the client in Chromium (install chromium, or these are skipped)', () => {
  const { open } = useChromium();
  const serve = expressServers();

  test('creates a plant with a 19-digit id, and the store holds it to the last digit', async () => {
    const plants = createMemoryRepository();
    const { app } = await createDocumentApp({
      document: await loadDocument(CONTRACT_FILE),
      handlers: createHandlers(plants),
      authenticators: { bearerAuth: createStaticTokens([{ name: 'tests', token: TOKEN }]) },
    });
    const site = express();
    site.get('/', (_request, response) => void response.type('html').send(PAGE));
    site.use('/dist', express.static(join(ROOT, 'dist')));
    site.use('/store', app);

    const { page, complaints } = await open(await serve(site), {}, 'hr');
    expect(await page.locator('p').allInnerTexts()).toEqual([
      '200 {"name":"Fern","tag":"Schatten & grün"}',
      '409 {"error":40901,"message":"another plant has id 9223372036854775807"}',
    ]);
    expect(complaints).toEqual([]);
    const held: object[] = [];
    for await (const plant of plants.all()) held.push(plant);
    expect(held).toEqual([{ id: 9223372036854775807n, name: 'Fern', tag: 'Schatten & grün' }]);
  });
});
