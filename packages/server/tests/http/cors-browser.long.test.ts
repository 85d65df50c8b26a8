import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { CHROMIUM, useChromium } from '@trellis/test-support/chromium';
import type { Page } from 'playwright-core';
import { startService, TOKEN } from '../support/service.ts';

const describeIfThere = CHROMIUM === undefined ? describe.skip : describe;

describeIfThere('a page of another origin in Chromium (install chromium, or these are skipped)', () => {
  const { newPage } = useChromium();
  let pages: Server;
  let origin: string;
  let page: Page;
  beforeAll(async () => {
    pages = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end('<!doctype html><title>A page</title>');
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    const address = pages.address();
    origin = `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
  });
  afterAll(() => pages.close().closeAllConnections());
  beforeEach(async () => {
    page = await newPage();
    await page.goto(origin);
  });

  const startFor = (corsOrigins: readonly string[]) => startService({ corsOrigins });

  /** The reply to a POST as far as the page sees it, or the name of its error. */
  const postFromPage = (url: string, body: string, token = TOKEN): Promise<unknown> => {
    const init = {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body,
    };
    return page.evaluate(`(async () => {
      try {
        const reply = await fetch(${JSON.stringify(`${url}/things`)}, ${JSON.stringify(init)});
        const headers = ['x-request-id', 'www-authenticate'].filter((name) => reply.headers.has(name));
        return { status: reply.status, body: await reply.json(), headers };
      } catch (error) {
        return error.name;
      }
    })()`);
  };

  test('creates a thing to the last digit of its id, and reads the reply', async () => {
    const service = await startFor([origin]);
    expect(await postFromPage(service.url, '{"id":9007199254740993,"name":"Lamp"}')).toEqual({
      status: 200,
      body: { name: 'Lamp' },
      headers: ['x-request-id'],
    });
    expect(await service.things.create({ id: 9007199254740993n, name: 'Lamp' })).toBe('unchanged');
    await service.close();
  });

  test('reads errors too', async () => {
    const service = await startFor([origin]);
    expect(await postFromPage(service.url, '{"id":1}')).toEqual({
      status: 400,
      body: { error: 40002, message: 'body.name is required' },
      headers: ['x-request-id'],
    });
    expect(await postFromPage(service.url, '{}', 'wrong')).toMatchObject({
      status: 401,
      headers: ['x-request-id', 'www-authenticate'],
    });
    await service.close();
  });

  test.each([
    ['no origin is allowed', []],
    ['another origin is', ['https://app.example']],
  ])('where %s, creates nothing and reads nothing', async (_name, origins) => {
    const service = await startFor(origins);
    expect(await postFromPage(service.url, '{"id":1,"name":"Lamp"}')).toBe('TypeError');
    expect(await service.things.create({ id: 1n, name: 'Vase' })).toBe('created');
    await service.close();
  });
});
