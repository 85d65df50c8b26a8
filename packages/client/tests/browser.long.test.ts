import { EventEmitter, once } from 'node:events';
import type { Readable } from 'node:stream';
import { CHROMIUM, useChromium } from '@trellis/test-support/chromium';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { build } from 'esbuild';
import express from 'express';
import type { Page } from 'playwright-core';
import { generateIn } from './generate.ts';
import { listen, serveThings, type TestHandlers } from './things-service.ts';

/** A page that has a client of the service in `client`, and all that the package exports. */
const PAGE = `<!doctype html><title>Page</title><link rel="icon" href="data:,"><script type="module">
  import * as trellis from '/client.js';
  const url = new URLSearchParams(location.search).get('service');
  Object.assign(globalThis, trellis, {
    client: trellis.createClient({ url, token: 's3cret' }),
    mediaType: 'application/octet-stream',
    controller: new AbortController(),
  });
</script>`;

const makeFolder = temporaryFolders();

const bundleClient = async (): Promise<string | undefined> => {
  const folder = await makeFolder();
  await generateIn(folder);
  const contents =
    "export * from './generated/client.ts'; export { fetchWithProgress, retries } from '@trellis/client';";
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    conditions: ['source'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles[0]?.text;
};

const BEYOND = 9007199254740993n;

/** Events without end. */
async function* sell(signal: AbortSignal) {
  for (let id = BEYOND; !signal.aborted; id += 1n) {
    yield { event: 'sold', data: { id } };
    await new Promise(setImmediate);
  }
}

/** Tells the `signal` of each request whose client may leave. */
const served = new EventEmitter();
/** The seconds in the `Retry-After` of the next replies. */
let waits: string[] = [];

type Asked = { readonly signal: AbortSignal; readonly body: { readonly stream: Readable } };
/** More than the buffers between page and handler hold, so that an unread upload cannot complete. */
const MOST_SENT = 4e7;
const handlers = {
  watchSales: async ({ signal }: Asked) => {
    served.emit('request', signal);
    return { status: 200, body: sell(signal) };
  },
  listThings: async () => {
    const wait = waits.shift();
    if (wait === undefined) return { status: 200, body: {} };
    return { status: 503, headers: { 'Retry-After': wait }, body: { error: 50301, message: 'later' } };
  },
  sendBody: {
    streams: true,
    maxBodyBytes: MOST_SENT,
    handle: async ({ body, signal }: Asked) => {
      let size = 0;
      for await (const chunk of body.stream) {
        if (size === 0 && chunk.includes('bad'))
          return { status: 422, body: { error: 42201, message: 'bad' } };
        if (size === 0 && chunk.includes('hold')) {
          served.emit('request', signal);
          await once(served, 'resume');
        }
        size += chunk.length;
      }
      return { status: 200, body: { size } };
    },
  },
} satisfies TestHandlers;

const describeIfThere = CHROMIUM === undefined ? describe.skip : describe;

describeIfThere('a page of another origin (install chromium, or these are skipped)', () => {
  const { newPage } = useChromium();
  let script: string | undefined;
  let pages: Awaited<ReturnType<typeof listen>>;
  let service: Awaited<ReturnType<typeof serveThings>>;
  let page: Page;
  beforeAll(async () => {
    script = await bundleClient();
  });
  beforeEach(async () => {
    const site = express();
    site.get('/', (_request, response) => void response.type('html').send(PAGE));
    site.get('/client.js', (_request, response) => void response.type('js').send(script));
    site.post('/bodies', (_request, response) => response.redirect(307, '/elsewhere'));
    site.post('/elsewhere', (_request, response) => void response.json({}));
    pages = await listen(site);
    const origin = pages.url;
    service = await serveThings(handlers, [origin]);
    page = await newPage();
    await page.goto(`${origin}/?service=${encodeURIComponent(service.url)}`);
  });
  afterEach(async () => {
    pages.close();
    await service.close();
  });

  const run = <Result>(code: string): Promise<Result> => page.evaluate<Result>(`(async () => { ${code} })()`);

  test('reports the progress of an upload, to the last byte', async () => {
    const { told, reply } = await run<{ told: number[][]; reply: object }>(`
      const told = [];
      const fetch = fetchWithProgress((...progress) => told.push(progress));
      const { status, body } = await client.sendBody({ body: new Blob([new Uint8Array(3e6)]), mediaType, fetch });
      return { told, reply: { status, body } };`);
    expect(reply).toEqual({ status: 200, body: { size: 3e6 } });
    expect(told.at(-1)).toEqual([3e6, 3e6]);
    expect(told.filter(([, total]) => total !== 3e6)).toEqual([]);
    const sent = told.map(([bytes = 0]) => bytes);
    expect(sent).toEqual(sent.toSorted((one, other) => one - other));
  });

  test.each([
    ['that the handler gives', `'bad'`, 422],
    ['to a body that is too large', `new Uint8Array(${MOST_SENT + 1})`, 413],
  ])('gets the error %s, as the contract declares it', async (_, bytes, status) => {
    const reply = await run(`
      const fetch = fetchWithProgress(() => {});
      const { status, mediaType: type, body } = await client.sendBody({ body: new Blob([${bytes}]), mediaType, fetch });
      return { status, type, body };`);
    const body = { error: status * 100 + 1, message: expect.any(String) };
    expect(reply).toEqual({ status, type: 'application/json', body });
  });

  test('aborts an upload, and the service sees it leave', async () => {
    const request = once(served, 'request');
    const upload = run(`
      const { signal } = controller;
      const send = () => client.sendBody({ body: new Blob(['hold', new Uint8Array(3.9e7)]), mediaType, signal, fetch: fetchWithProgress(() => {}) });
      const first = await send().catch(({ message }) => message);
      return [first, await send().catch(({ message }) => message)];`);
    const [signal] = await request;
    await run(`controller.abort(new Error('enough'));`);
    expect(await upload).toEqual(['enough', 'enough']);
    served.emit('resume');
    if (!signal.aborted) await once(signal, 'abort');
  });

  test('rejects the response of a redirected upload', async () => {
    const thrown = await run(`
      const elsewhere = createClient({ url: location.origin, fetch: fetchWithProgress(() => {}) });
      return elsewhere.sendBody({ body: {} }).catch(({ name, message }) => name + ': ' + message);`);
    expect(thrown).toMatch(/^TypeError: redirected to http:.*\/elsewhere$/);
  });

  test('leaves an event stream by break, and the service sees it leave', async () => {
    const request = once(served, 'request');
    const ids = await run(`
      const ids = [];
      const { body } = await client.watchSales();
      for await (const { data } of body) if (ids.push(String(data.id)) === 3) break;
      return ids;`);
    expect(ids).toEqual([`${BEYOND}`, `${BEYOND + 1n}`, `${BEYOND + 2n}`]);
    const [signal] = await request;
    if (!signal.aborted) await once(signal, 'abort');
  });

  test('sends again once the time in Retry-After has passed', async () => {
    waits = ['0', '1'];
    const { status, took } = await run<{ status: number; took: number }>(`
      const began = performance.now();
      const { status } = await client.listThings({ retry: retries({ delay: 60_000, longest: 60_000 }) });
      return { status, took: performance.now() - began };`);
    expect(status).toBe(200);
    expect(waits).toEqual([]);
    expect(took).toBeGreaterThan(990);
  });
});
