import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServeContract } from '@trellis/contract/internal';
import { loadDocument } from '@trellis/openapi';
import { ownMember } from '@trellis/openapi/internal/json';
import { exchange, head, openSocket } from '@trellis/test-support/raw-http';
import { temporaryFolders } from '@trellis/test-support/temporary';
import express from 'express';
import { load } from 'js-yaml';
import { createApp } from '../../../src/http/app.ts';
import { expressServers } from '../../support/express.ts';
import { createTestObserver } from '../../support/observer.ts';
import { createTestApp, read, type Service, startService, THINGS_FILE } from '../../support/service.ts';

const newFolder = temporaryFolders();

let service: Service;
beforeAll(async () => {
  service = await startService({ trustProxy: ['loopback'] });
});
afterAll(() => service.close());

const serve = expressServers();

/** An app that shows a contract of these files; it has no operation but the contract given. */
const serveFiles = async (
  files: Readonly<Record<string, string>>,
  contract: ServeContract = () => undefined,
) => {
  const folder = await newFolder();
  await mkdir(join(folder, 'parts'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const document = await loadDocument(join(folder, 'openapi.yaml'));
  const trustProxy = ['loopback'];
  const check = async () => undefined;
  return serve(createApp({ contract, ...createTestObserver(), check, document, trustProxy }));
};

/** fetch would say `no-cache` beside `If-None-Match`, which asks for the whole again. */
const REVALIDATE = { 'cache-control': 'max-age=0' };

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers, redirect: 'manual' });

/** The addresses of the servers in a contract. */
const serversIn = async (response: Promise<Response>): Promise<string[]> => {
  const { body } = await read(response);
  const servers = ownMember(body, 'servers');
  return Array.isArray(servers) ? servers.map(({ url }) => url) : [];
};

describe('the page', () => {
  test('needs no token, loads nothing from elsewhere, and lets nothing inline or evaluated run', async () => {
    const page = await get('/docs');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');

    const html = await page.text();
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('<title>Things</title>');
    expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    const references = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference = '']) => reference);
    expect(references).toHaveLength(5);
    expect(references.filter((reference) => /^(?:\/|\w+:)/.test(reference))).toEqual([]);
    for (const reference of references) expect(await get(`/${reference}`)).toMatchObject({ status: 200 });
  });

  test('browsers cache its assets without a time limit, and request them again once they change', async () => {
    const [, versioned = ''] =
      /src="(docs\/reference\.js\?v=[\w-]+)"/.exec(await (await get('/docs')).text()) ?? [];
    const asset = await get(`/${versioned}`);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    for (const path of ['/docs/reference.js', '/docs/reference.js?v=older'])
      expect((await get(path)).headers.get('cache-control')).toBe('no-cache');
  });

  test('is sent compressed to those who can read that, and the same to those who cannot', async () => {
    const bodies = await Promise.all(
      ['gzip', 'identity', 'gzip;q=0'].map(async (accepted) => {
        const response = await get('/docs/reference.css', { 'accept-encoding': accepted });
        return { coding: response.headers.get('content-encoding'), text: await response.text() };
      }),
    );
    expect(bodies.map(({ coding }) => coding)).toEqual(['gzip', null, null]);
    expect(new Set(bodies.map(({ text }) => text)).size).toBe(1);
    expect((await get('/docs/reference.css')).headers.get('vary')).toBe('Accept-Encoding');
  });

  test('takes less than 100 kB in all, compressed', async () => {
    const html = await (await get('/docs')).text();
    const files = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, file]) => `/${file}`);
    const sizes = await Promise.all(
      ['/docs', '/openapi.json', ...files].map(async (path) =>
        Number((await get(path, { 'accept-encoding': 'gzip' })).headers.get('content-length')),
      ),
    );
    expect(sizes).toHaveLength(5);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100_000);
  });

  test('holds nothing else of the package that it comes from', async () => {
    for (const path of [
      'reference.js.map',
      'main.tsx',
      'index.html',
      'package.json',
      '..%2fpackage.json',
      'constructor',
    ])
      expect(await get(`/docs/${path}`)).toMatchObject({ status: 404 });
  });

  test('bears the title of any contract as text', async () => {
    const title = '</title><script>alert("1")</script> & Co';
    const url = await serveFiles({
      'openapi.yaml': JSON.stringify({ openapi: '3.1.0', info: { title, version: '1' }, paths: {} }),
    });
    expect(await (await fetch(`${url}/docs`)).text()).toContain(
      '<title>&lt;/title&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; Co</title>',
    );
  });
});

describe('the contract', () => {
  test('is the one that is served, as JSON and as YAML', async () => {
    const { servers: _, ...contract } = await loadDocument(THINGS_FILE);
    const json = await get('/openapi.json');
    const yaml = await get('/openapi.yaml');
    expect(json.headers.get('content-type')).toMatch(/^application\/json/);
    expect(yaml.headers.get('content-type')).toBe('application/yaml');
    expect(await json.json()).toMatchObject(contract);
    expect(load(await yaml.text())).toMatchObject(contract);
  });

  test('keeps integers that a double would round, in one file or in several', async () => {
    const url = await serveFiles({
      'openapi.yaml': `openapi: 3.1.0
info: { title: Things, version: '1' }
paths:
  /things:
    post:
      requestBody: { content: { application/json: { schema: { $ref: parts/thing.json } } } }
      responses: { '200': { description: ok } }
components: { schemas: { Id: { type: integer, minimum: -9223372036854775808, examples: [9007199254740993, 41, 1e3, 0.1] } } }
`,
      'parts/thing.json': '{\n\t"type": "integer",\n\t"maximum": 9223372036854775807\n}\n',
    });
    const json = await (await fetch(`${url}/openapi.json`)).text();
    expect(json).toContain('"minimum":-9223372036854775808,"examples":[9007199254740993,41,1000,0.1]');
    expect(json).toContain('"maximum":9223372036854775807');
    const yaml = await (await fetch(`${url}/openapi.yaml`)).text();
    expect(yaml).toMatch(/minimum: -9223372036854775808\n\s+examples:\n\s+- 9007199254740993\n\s+- 41\n/);
    expect(yaml).toContain('maximum: 9223372036854775807');
    expect(load(yaml)).toEqual(JSON.parse(json));
  });

  test('is not sent again to those who have it', async () => {
    for (const path of ['/openapi.json', '/openapi.yaml', '/docs', '/docs/reference.js']) {
      const etag = (await get(path)).headers.get('etag') ?? '';
      const again = await get(path, { ...REVALIDATE, 'if-none-match': etag });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect((await get(path, { ...REVALIDATE, 'if-none-match': '"other"' })).status).toBe(200);
    }
  });
});

test('the contract names its folder as the server URL', async () => {
  const { app } = await createTestApp();
  const mounted = await serve(express().use('/garden', app));
  for (const base of [service.url, `${mounted}/garden`]) {
    const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Prefix': '/evil' };
    const servers = await serversIn(fetch(`${base}/openapi.json`, { headers }));
    expect(servers).toEqual(['.']);
    expect(new URL(`${servers[0]}/things`, `${base}/openapi.json`).href).toBe(`${base}/things`);
  }
});

describe('the way to the page', () => {
  test.each(['/garden', '/garden/', '/garden/docs/', '/garden?from=here'])(
    'leads there from %s of another app',
    async (path) => {
      const { app } = await createTestApp();
      const url = await serve(express().use('/garden', app));
      const response = await fetch(url + path);
      expect(response.url).toBe(`${url}/garden/docs`);
      expect(response.status).toBe(200);
    },
  );

  test('leads there from the address of the service', async () => {
    const response = await fetch(service.url);
    expect([response.url, response.status]).toEqual([`${service.url}/docs`, 200]);
  });

  test.each(['/', '/?a=/b', 'http://anywhere.example', 'http://anywhere.example/'])(
    'leads to ./docs, relative to the requested path, with GET %s',
    async (target) => {
      const answer = await exchange(service.port, head(`GET ${target}`, 'Connection: close'));
      expect(answer).toContain('\r\nLocation: ./docs\r\n');
    },
  );
});

test.each(['/openapi.json', '/openapi.yaml'])(
  '%s of a large contract is in memory once, however many ask for it and never read',
  async (path) => {
    const description = 'A long story. '.repeat(70_000);
    const info = { title: 'Large', version: '1', description };
    const url = await serveFiles({ 'openapi.yaml': JSON.stringify({ openapi: '3.1.0', info, paths: {} }) });
    const port = Number(new URL(url).port);
    const ask = async () => (await fetch(url + path, { headers: { 'accept-encoding': 'identity' } })).text();
    expect((await ask()).length).toBeGreaterThan(description.length);

    const before = process.memoryUsage().rss;
    const clients = await Promise.all(Array.from({ length: 40 }, () => openSocket(port)));
    for (const client of clients) {
      client.on('error', () => {}).pause();
      client.write(head(`GET ${path}`).repeat(16));
    }
    const [one, other] = await Promise.all([ask(), ask()]); // by now all of them have been asked for
    const growth = process.memoryUsage().rss - before;
    for (const client of clients) client.destroy();
    expect(one).toBe(other);
    expect(growth / 2 ** 20).toBeLessThan(100); // one by one they would be some 500
  },
);

test.each(['/', '/docs', '/docs/reference.css', '/openapi.json', '/openapi.yaml'])(
  '%s is read only, and HEAD tells the same as GET without a body',
  async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const refused = await fetch(service.url + path, { method });
      expect(refused.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      expect(await read(refused)).toMatchObject({ status: 405, body: { error: 40501 } });
    }
    const [got, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => fetch(service.url + path, { method, redirect: 'manual' })),
    );
    for (const name of ['content-type', 'content-length', 'etag', 'location'])
      expect(head?.headers.get(name)).toBe(got?.headers.get(name));
    expect(head?.status).toBe(got?.status);
    expect(await head?.text()).toBe('');
  },
);

test('neighbours of these paths are not there', async () => {
  for (const path of ['/openapi.json/', '/openapi', '/docs/reference.css/', '/Docs', '/docs/docs', '//'])
    expect(await read(get(path))).toMatchObject({ status: 404, body: { error: 40401 } });
});

test('an operation of the contract at a documentation path comes first', async () => {
  const ours: ServeContract = ({ request }) =>
    request.url === '/docs' ? (async () => ({ status: 200, headers: {}, payload: 'mine' }))() : undefined;
  const url = await serveFiles(
    { 'openapi.yaml': 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}' },
    ours,
  );
  expect(await (await fetch(`${url}/docs`)).text()).toBe('mine');
});

test('an app that is given no contract to show has none of it', async () => {
  const url = await serve(
    createApp({ contract: () => undefined, ...createTestObserver(), check: async () => undefined }),
  );
  for (const path of ['/', '/docs', '/openapi.json'])
    expect(await read(fetch(url + path))).toMatchObject({ status: 404 });
});
