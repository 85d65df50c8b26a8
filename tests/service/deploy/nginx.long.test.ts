import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { newDocument } from '../../../packages/server/tests/support/documents.ts';
import { serveDocument } from '../../../packages/server/tests/support/serve.ts';
import { AUTHORIZED } from '../../../packages/server/tests/support/service.ts';
import { freePort } from '../../../scripts/support/postgres.ts';
import { CHROMIUM, useChromium } from '../../support/chromium.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { type Service, startService } from '../support/service.ts';

const DEPLOY = fileURLToPath(new URL('../../../docs/deploy', import.meta.url));
const makeFolder = temporaryFolders();
const hasNginx = spawnSync('nginx', ['-v']).status === 0;

/** nginx with the recipe of docs/deploy, in a temporary folder; only ports, paths and the allowed network differ. */
const startNginx = async (target: string, edit: (recipe: string) => string = (recipe) => recipe) => {
  const folder = await makeFolder();
  const port = await freePort();
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=plants.example'].concat([
      '-keyout',
      join(folder, 'key.pem'),
      '-out',
      join(folder, 'certificate.pem'),
    ]),
    { stdio: 'ignore' },
  );
  const recipe = await readFile(join(DEPLOY, 'nginx.conf'), 'utf8');
  const site = edit(recipe)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('127.0.0.1:3000', new URL(target).host)
    .replace('/etc/ssl/plants.example.pem', join(folder, 'certificate.pem'))
    .replace('/etc/ssl/plants.example.key', join(folder, 'key.pem'))
    .replaceAll('/etc/nginx/', `${folder}/`);
  await writeFile(join(folder, 'site.conf'), site);
  await cp(join(DEPLOY, 'plants-proxy.conf'), join(folder, 'plants-proxy.conf'));
  await mkdir(join(folder, 'temporary'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/temporary/${name};`,
  );
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { access_log off; ${temporary.join(' ')} include site.conf; }`,
  );
  const nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  const ask = async (path: string, options: RequestOptions = {}, body = '') => {
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, ...options }, resolve)
        .on('error', reject)
        .end(body);
    });
    return { status: reply.statusCode, headers: reply.headers, body: await text(reply) };
  };
  while ((await ask('/healthz').catch(() => undefined)) === undefined) await pause(20);
  return {
    url: `https://127.0.0.1:${port}`,
    ask,
    close: async () => {
      nginx.kill('SIGQUIT');
      await once(nginx, 'exit');
    },
  };
};

const JSON_TYPE = 'application/json';
const createFern = { method: 'POST', headers: AUTHORIZED };
const FERN = '{"id":9007199254740993,"name":"Fern"}';

(hasNginx ? describe : describe.skip)('behind nginx with the recipe of docs/deploy', () => {
  let service: Service;
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  beforeAll(async () => {
    const routes = express.Router().get('/whence', ({ ip, protocol, host }, response) => {
      response.json([ip, protocol, host]);
    });
    service = await startService({ trustProxy: ['127.0.0.1'], routes });
    nginx = await startNginx(service.url);
  });
  afterAll(async () => {
    await nginx.close();
    await service.close();
  });

  test('a plant is created over TLS, and errors have the shape of the contract', async () => {
    expect(await nginx.ask('/plants', createFern, FERN)).toMatchObject({
      status: 200,
      body: '{"name":"Fern"}',
    });
    expect(await nginx.ask('/plants', { method: 'POST' }, FERN)).toMatchObject({ status: 401 });
    const tooLarge = await nginx.ask('/plants', createFern, JSON.stringify({ name: 'x'.repeat(200_000) }));
    expect([tooLarge.status, JSON.parse(tooLarge.body).error]).toEqual([413, 41301]);
  });

  test('under a path of the proxy, operations, links and redirects follow', async () => {
    expect(await nginx.ask('/garden/plants', createFern, FERN)).toMatchObject({ status: 200 });
    expect((await nginx.ask('/garden/')).headers.location).toBe('./docs');
    expect(JSON.parse((await nginx.ask('/garden/openapi.json')).body).servers).toMatchObject([{ url: '.' }]);
  });

  test('the service knows the client, whatever it says of itself', async () => {
    const headers = {
      Host: 'plants.example',
      Forwarded: 'for=192.0.2.9;host=evil.example',
      'X-Forwarded-For': '192.0.2.9',
      'X-Forwarded-Proto': 'http',
      'X-Forwarded-Host': 'evil.example',
    };
    const client = { headers, localAddress: '127.0.0.2' };
    expect(JSON.parse((await nginx.ask('/whence', client)).body)).toEqual([
      '127.0.0.2',
      'https',
      'plants.example',
    ]);
  });

  test('metrics are for the network that the recipe names', async () => {
    expect(await nginx.ask('/metrics')).toMatchObject({ status: 200 });
    const outside = await startNginx(service.url, (recipe) => recipe.replace('allow 127.0.0.1;', ''));
    const { status, headers, body } = await outside.ask('/metrics');
    await outside.close();
    expect([status, headers['content-type']]).toEqual([404, JSON_TYPE]);
    expect(JSON.parse(body)).toEqual({ error: 40401, message: expect.any(String) });
  });

  test('a client that sends too much gets 429 in the shape of the contract, and the others do not', async () => {
    const limited = await startNginx(service.url, (recipe) =>
      recipe.replace('20r/s', '1r/m').replace('burst=40', 'burst=5'),
    );
    const replies = await Promise.all(Array.from({ length: 20 }, () => limited.ask('/healthz')));
    await limited.close();
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(10);
    expect(refused[0]?.headers).toMatchObject({ 'content-type': JSON_TYPE, 'retry-after': '1' });
    expect(JSON.parse(refused[0]?.body ?? '')).toEqual({ error: 42901, message: expect.any(String) });
    expect(await nginx.ask('/healthz')).toMatchObject({ status: 200 });
  });

  test('while the service is down, nginx answers 503 in the shape of the contract', async () => {
    const alone = await startNginx(`http://127.0.0.1:${await freePort()}`);
    const { status, headers, body } = await alone.ask('/plants', createFern, FERN);
    await alone.close();
    expect([status, headers['content-type'], headers['retry-after']]).toEqual([503, JSON_TYPE, '1']);
    expect(JSON.parse(body)).toEqual({ error: 50301, message: expect.any(String) });
  });
});

interface CountRequest {
  readonly header: { readonly 'Last-Event-ID'?: number };
  readonly signal: AbortSignal;
}

/** An endless stream of numbers; a client that reconnects resumes after its last number. */
const COUNT = {
  operationId: 'count',
  parameters: [{ name: 'Last-Event-ID', in: 'header', schema: { type: 'integer' } }],
  responses: {
    200: { description: '', content: { 'text/event-stream': { schema: { type: 'object' } } } },
  },
};

const isBrowserThere = hasNginx && CHROMIUM !== undefined;
(isBrowserThere ? describe : describe.skip)('an EventSource in Chromium, through nginx', () => {
  const { newPage } = useChromium();

  test('delivers each event at once, and resumes after a cut connection', async () => {
    const bell = new EventEmitter();
    const asked: unknown[] = [];
    async function* count(from: number, signal: AbortSignal) {
      for (let id = from + 1; ; id += 1) {
        yield { event: 'counted', id, retry: 10, data: { id } };
        await once(bell, 'ring', { signal });
      }
    }
    const service = await serveDocument({
      document: await newDocument({ paths: { '/count': { get: COUNT } } }),
      handlers: {
        count: async ({ header, signal }: CountRequest) => {
          const last = header['Last-Event-ID'];
          asked.push(last);
          return { status: 200, body: count(last ?? 0, signal) };
        },
      },
    });
    const nginx = await startNginx(service.url);
    const page = await newPage({ ignoreHTTPSErrors: true });
    await page.goto(`${nginx.url}/healthz`);
    await page.evaluate(`seen = [];
      new EventSource('/count').addEventListener('counted', ({ data, lastEventId }) => seen.push([data, lastEventId]))`);
    const see = async (number: number) => {
      await page.waitForFunction(`seen.length === ${number}`);
      return page.evaluate('seen.at(-1)');
    };
    expect(await see(1)).toEqual(['{"id":1}', '1']);
    bell.emit('ring');
    expect(await see(2)).toEqual(['{"id":2}', '2']);
    service.server.closeAllConnections();
    expect(await see(3)).toEqual(['{"id":3}', '3']);
    expect(asked).toEqual([undefined, 2]);
    await page.close();
    await nginx.close();
    await service.close();
  });
});
