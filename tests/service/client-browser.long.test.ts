import { join } from 'node:path';
import { build } from 'esbuild';
import express from 'express';
import { loadDocument } from '../../packages/openapi/src/files/load.ts';
import { createStaticTokens } from '../../packages/server/src/auth/static-tokens.ts';
import { expressServers } from '../../packages/server/tests/support/express.ts';
import { createDocumentApp } from '../../packages/server/tests/support/serve.ts';
import { TOKEN } from '../../packages/server/tests/support/service.ts';
import { createHandlers } from '../../src/handlers.ts';
import { CHROMIUM, useChromium } from '../support/chromium.ts';
import { ROOT } from '../support/scratch.ts';
import { CONTRACT_FILE, openInMemory } from './support/service.ts';

/** A page that loads the generated client, bundled, and shows what two creates answer. */
const PAGE = `<!doctype html><title>Page</title><link rel="icon" href="data:,"><script type="module">
  import { createClient } from '/client.js';
  const url = new URLSearchParams(location.search).get('store');
  const client = createClient({ url, token: '${TOKEN}' });
  const show = ({ status, body }) => {
    document.body.append(Object.assign(document.createElement('p'), { textContent: status + ' ' + JSON.stringify(body) }));
  };
  show(await client.createPlant({ body: { id: 9223372036854775807n, name: 'Fern', tag: 'Schatten & grün' } }));
  show(await client.createPlant({ body: { id: 9223372036854775807n, name: 'Moss' } }));
  document.body.append(document.createElement('hr'));
</script>`;

const describeIfThere = CHROMIUM === undefined ? describe.skip : describe;

describeIfThere('the client in Chromium (install chromium, or these are skipped)', () => {
  const { newPage } = useChromium();
  const serve = expressServers();

  test('creates a plant from a page of another origin, and the store holds its 19-digit id to the last digit', async () => {
    const site = express();
    site.get('/', (_request, response) => void response.type('html').send(PAGE));
    const { outputFiles } = await build({
      entryPoints: [join(ROOT, 'generated/client.ts')],
      bundle: true,
      format: 'esm',
      platform: 'browser',
      conditions: ['source'],
      write: false,
    });
    site.get('/client.js', (_request, response) => void response.type('js').send(outputFiles[0]?.text));
    const origin = await serve(site);
    const plants = await openInMemory();
    const document = await loadDocument(CONTRACT_FILE);
    const { app } = await createDocumentApp({
      document,
      handlers: createHandlers(plants),
      authenticators: { bearerAuth: createStaticTokens([{ name: 'tests', token: TOKEN }]) },
      corsOrigins: [origin],
    });
    const store = await serve(app);
    expect(new URL(store).origin).not.toBe(origin);

    const page = await newPage();
    await page.goto(`${origin}/?store=${encodeURIComponent(store)}`);
    await page.locator('hr').waitFor({ state: 'attached' });
    expect(await page.locator('p').allInnerTexts()).toEqual([
      '200 {"name":"Fern","tag":"Schatten & grün"}',
      '409 {"error":40901,"message":"another plant has id 9223372036854775807"}',
    ]);
    const held: object[] = [];
    for await (const plant of plants.all()) held.push(plant);
    expect(held).toEqual([{ id: 9223372036854775807n, name: 'Fern', tag: 'Schatten & grün' }]);
  });
});
