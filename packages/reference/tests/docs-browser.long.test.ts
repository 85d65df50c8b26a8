import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request as ask, createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingRequest } from '@trellis/contract';
import type { ServeContract } from '@trellis/contract/internal';
import { loadDocument } from '@trellis/openapi';
import { CHROMIUM, useChromium } from '@trellis/test-support/chromium';
import { until } from '@trellis/test-support/postgres/conditions';
import { temporaryFolders } from '@trellis/test-support/temporary';
import type { Page } from 'playwright-core';
import { createApp } from '../../server/src/http/app.ts';
import { createHttpServer } from '../../server/src/http/server.ts';
import { newDocument } from '../../server/tests/support/documents.ts';
import { createTestObserver } from '../../server/tests/support/observer.ts';
import { serveDocument } from '../../server/tests/support/serve.ts';
import { type Service, startService, TOKEN } from '../../server/tests/support/service.ts';

const authorise = (page: Page, token: string): Promise<void> =>
  page.locator('.overview').getByLabel('Access token').fill(token);

const openOperation = async (page: Page): Promise<void> => {
  await page.evaluate("location.hash = document.querySelector('.operation').id");
  await page.locator('.editor').waitFor();
};

/** Presses Send and returns the reply as the page shows it. */
const execute = async (page: Page) => {
  await page.getByRole('button', { name: 'Send' }).click();
  const reply = page.locator('.reply');
  await reply.waitFor();
  return {
    status: await reply.locator('.status').innerText(),
    body: await reply.locator('.code').innerText(),
  };
};

/** Starts a proxy that serves a URL under /garden, as nginx does with `location /garden/`. */
const startProxy = async (target: string) => {
  const proxy = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/garden/, '');
    const { method, headers } = request;
    const onward = ask(new URL(path, target), { method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address?.port}/garden/`,
    close: () => proxy.close().closeAllConnections(),
  };
};

const describeIfThere = CHROMIUM === undefined ? describe.skip : describe;

describeIfThere('the API reference in Chromium (install chromium, or these are skipped)', () => {
  const { open, keepPicture } = useChromium();
  let service: Service;
  beforeEach(async () => {
    service = await startService({ trustProxy: ['loopback'] });
  });
  afterEach(() => service.close());

  test('a user who opens the service, pastes the token and presses Send sees the 200', async () => {
    const { page, complaints } = await open(service.url, { viewport: { width: 1000, height: 1700 } });
    expect(page.url()).toBe(`${service.url}/docs`);
    expect(await page.title()).toBe('Things');

    await authorise(page, TOKEN);
    await openOperation(page);
    expect(await execute(page)).toEqual({
      status: '200',
      body: '{\n  "name": "A thing",\n  "tag": "blue"\n}',
    });
    await keepPicture(page, 'created');
    expect(await service.things.create({ id: 41n, name: 'A thing', tag: 'blue' })).toBe('unchanged');
    expect(complaints).toEqual([]);
  });

  test('a wrong token shows the 401', async () => {
    const { page, complaints } = await open(`${service.url}/docs`);
    await authorise(page, 'wrong');
    await openOperation(page);
    const { status, body } = await execute(page);
    expect(status).toBe('401');
    expect(body).toContain('"error": 40102');
    expect(complaints).toEqual([]);
  });

  test('the token survives a reload, until it is taken back', async () => {
    const { page } = await open(`${service.url}/docs`);
    await authorise(page, TOKEN);
    await openOperation(page);
    await page.reload();
    expect(await execute(page)).toMatchObject({ status: '200' });

    await page.locator('.overview').getByRole('button', { name: 'Forget' }).click();
    await page.reload();
    expect(await execute(page)).toMatchObject({ status: '401' });
  });

  test('ids of up to 19 digits are sent and stored to the last one, and stand so in the curl line', async () => {
    const { page } = await open(`${service.url}/docs`);
    await authorise(page, TOKEN);
    await openOperation(page);
    for (const id of [9007199254740993n, 9223372036854775807n, -9223372036854775808n]) {
      await page.locator('.editor').fill(`{"id": ${id}, "name": "Lamp"}`);
      expect(await execute(page)).toMatchObject({ status: '200' });
      expect(await page.locator('.samples .code').innerText()).toContain(`"id": ${id},`);
      expect(await service.things.create({ id, name: 'Lamp' })).toBe('unchanged');
    }
  });

  test('behind a path of a proxy, it works the same', async () => {
    const proxy = await startProxy(service.url);
    try {
      const { page, complaints } = await open(proxy.url);
      expect(page.url()).toBe(`${proxy.url}docs`);
      await authorise(page, TOKEN);
      await openOperation(page);
      expect(await execute(page)).toMatchObject({ status: '200' });
      expect(await page.locator('.request-url').textContent()).toContain(`${proxy.url}things`);
      expect(complaints).toEqual([]);
    } finally {
      proxy.close();
    }
  });

  test('a phone shows it without scrolling sideways', async () => {
    const { page } = await open(`${service.url}/docs`, {
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
    });
    await authorise(page, TOKEN);
    await openOperation(page);
    await page.locator('.editor').fill(`{"id": 41, "name": "${'A thing '.repeat(20)}"}`);
    await execute(page);
    await keepPicture(page, 'phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const { x = 0, width = 0 } = (await page.getByRole('button', { name: 'Send' }).boundingBox()) ?? {};
    expect(width).toBeGreaterThan(0);
    expect(x + width).toBeLessThan(390);
  });

  test('in the dark it is dark, and follows the system when day comes', async () => {
    const { page } = await open(`${service.url}/docs`, { colorScheme: 'dark' });
    const isDark = () =>
      page.evaluate(
        `[
             getComputedStyle(document.documentElement).backgroundColor,
             getComputedStyle(document.querySelector('.overview h1')).color,
           ].map((colour) => Number(colour.match(/\\d+/)[0])).reduce((ground, text) => ground < text)`,
      );
    await openOperation(page);
    await keepPicture(page, 'dark');
    expect(await isDark()).toBe(true);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await until('daylight', async () => ((await isDark()) ? undefined : 'day'))).toBe('day');
  });
});

/** Answers with the body that it was sent, to the letter. */
const echo: ServeContract = ({ request, body }) => {
  if (request.method !== 'POST' || !body) return undefined;
  return buffer(body.stream).then((payload) => ({
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    payload,
  }));
};

describeIfThere('integers that a double would round, in the examples of a contract', () => {
  const { open } = useChromium();
  const newFolder = temporaryFolders();

  test.each([
    ['of a body', { example: { id: 'BIG', size: 1 } }],
    [
      'of a schema',
      { schema: { type: 'object', properties: { id: { type: 'integer', examples: ['BIG'] } } } },
    ],
  ])('those %s are shown, sent and shown in the reply to the last digit', async (_, content) => {
    const file = join(await newFolder(), 'openapi.yaml');
    const limits = { type: 'integer', minimum: 'LEAST', maximum: 'BIG' };
    const post = {
      operationId: 'createThing',
      parameters: [{ name: 'size', in: 'query', schema: { ...limits, default: 'BIG' } }],
      requestBody: { content: { 'application/json': content } },
      responses: { 200: { description: 'Thing' } },
    };
    const document = {
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      paths: { '/things': { post } },
    };
    const text = JSON.stringify(document)
      .replaceAll('"BIG"', '9223372036854775807')
      .replaceAll('"LEAST"', '-9223372036854775808');
    await writeFile(file, text);
    const watched = createTestObserver();
    const app = createApp({
      contract: echo,
      ...watched,
      check: async () => undefined,
      document: await loadDocument(file),
    });
    const { listen, stop } = createHttpServer(app, watched.observer);
    const url = await listen(0, '127.0.0.1');

    const { page, complaints } = await open(url);
    await openOperation(page);
    expect(await page.locator('.editor').inputValue()).toContain('"id": 9223372036854775807');
    expect(await execute(page)).toMatchObject({
      status: '200',
      body: expect.stringContaining('"id": 9223372036854775807'),
    });
    expect(await page.locator('.request-url').textContent()).toContain('?size=9223372036854775807');
    expect(complaints).toEqual([]);
    await page.close();
    await stop(1000);
  });
});

describeIfThere('a reply whose items come one by one', () => {
  const { open, keepPicture } = useChromium();
  const closes: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(closes.splice(0).map((close) => close())));

  /** Opens the page of a service that answers with these items, and presses Send. */
  const receive = async (mediaType: string, items: (signal: AbortSignal) => AsyncIterable<unknown>) => {
    const content = { [mediaType]: { schema: { type: 'array', items: {} } } };
    const get = { operationId: 'watchSales', responses: { 200: { description: 'Sales', content } } };
    const { url, close } = await serveDocument({
      document: await newDocument({ paths: { '/sales': { get } } }),
      handlers: {
        watchSales: async ({ signal }: IncomingRequest) => ({ status: 200, body: items(signal) }),
      },
    });
    closes.push(close);
    const { page, complaints } = await open(`${url}/docs`);
    await page.getByRole('button', { name: 'Send' }).click();
    const reply = page.locator('.reply');
    return { page, complaints, reply, title: reply.locator('.reply-title') };
  };

  test('an endless one is shown as it arrives, until Stop, and the service sees the page leave', async () => {
    const left = new AbortController();
    const { page, complaints, reply, title } = await receive('text/event-stream', async function* (signal) {
      signal.addEventListener('abort', () => left.abort());
      for (let id = 1; ; id += 1) {
        yield { event: 'sold', id, data: { id, name: 'Lamp', price: 19.5 } };
        await sleep(10);
      }
    });
    await reply.getByText('data: {"id":50,').waitFor();
    expect(await title.innerText()).toContain('arriving');
    await page.getByRole('button', { name: 'Receiving…' }).scrollIntoViewIfNeeded();
    await keepPicture(page, 'events');
    await page.getByRole('button', { name: 'Stop' }).click();
    await title.getByText('stopped').waitFor();
    if (!left.signal.aborted) await once(left.signal, 'abort');
    expect(await reply.locator('.code').innerText()).toMatch(/^id: 1\n|^event: sold\n/);
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isEnabled()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test.each(['application/jsonl', 'application/json-seq'])(
    'a stream of %s is shown when it ends',
    async (type) => {
      const { complaints, reply, title } = await receive(type, async function* () {
        yield* [{ id: 1 }, { id: 9007199254740993n }];
      });
      await title.getByText(/bytes$/).waitFor();
      expect(await reply.locator('.code').innerText()).toBe('{"id":1}\n{"id":9007199254740993}\n');
      expect(complaints).toEqual([]);
    },
  );

  test('of a long one the end is shown', async () => {
    const { reply } = await receive('application/jsonl', async function* () {
      for (let id = 1; id <= 20_000; id += 1) yield { id };
    });
    await reply.getByText('{"id":20000}').waitFor();
    const text = await reply.locator('.code').innerText();
    expect(text).toMatch(/^…\n\{"id":\d+\}\n/);
    expect(text.length).toBeLessThan(2 ** 15 + 10);
  });

  test('a stream that breaks off keeps its received items', async () => {
    const { reply, title } = await receive('application/jsonl', async function* () {
      yield { id: 1 };
      await sleep(50); // a reply that has not begun would be 500
      throw new Error('disk gone');
    });
    await title.getByText('cut off').waitFor();
    expect(await reply.locator('.code').innerText()).toBe('{"id":1}\n');
  });
});
