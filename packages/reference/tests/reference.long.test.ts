import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadDocument } from '@trellis/openapi';
import { CHROMIUM, useChromium } from '@trellis/test-support/chromium';
import { temporaryFolders } from '@trellis/test-support/temporary';
import express from 'express';
import type { Page } from 'playwright-core';
import type { ServeContract } from '../../contract/src/contract.ts';
import { createApp } from '../../server/src/http/app.ts';
import { expressServers } from '../../server/tests/support/express.ts';
import { createTestObserver } from '../../server/tests/support/observer.ts';
import { type Service, startService, TOKEN } from '../../server/tests/support/service.ts';

const serve = expressServers();
const newFolder = temporaryFolders();

/** Echoes each request below /v1. */
const mirror: ServeContract = ({ request }) => {
  if (!request.url.startsWith('/v1/')) return undefined;
  const payload = JSON.stringify({ url: request.url, headers: request.headers });
  return Promise.resolve({ status: 200, headers: { 'Content-Type': 'application/json' }, payload });
};

/** Answers each request with its method and target. */
const echo: ServeContract = ({ request: { method, url } }) => {
  if (!/^\/(?:books|catalogue|pets)/.test(url)) return undefined;
  const payload = JSON.stringify(`${method} ${url}`);
  return Promise.resolve({ status: 200, headers: { 'Content-Type': 'application/json' }, payload });
};

const serveDocument = async (document: object, contract = mirror): Promise<string> => {
  const file = join(await newFolder(), 'openapi.json');
  await writeFile(
    file,
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      servers: [{ url: 'https://things.example/v1' }],
      ...document,
    }),
  );
  return serve(
    createApp({
      contract,
      ...createTestObserver(),
      check: async () => undefined,
      document: await loadDocument(file),
    }),
  );
};

const OK = { 200: { description: 'Fine' } };

const send = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.reply').waitFor();
  return page.locator('.reply .status').innerText();
};

const describeIfThere = CHROMIUM === undefined ? describe.skip : describe;

describeIfThere('a contract of OpenAPI 3.2 in the API reference', () => {
  const { open } = useChromium();
  const NEWER = new URL('../../../tests/contracts/documents/newer.yaml', import.meta.url);

  test('shows nested tags, other methods and the whole query, and sends them', async () => {
    const app = createApp({
      contract: echo,
      ...createTestObserver(),
      check: async () => undefined,
      document: await loadDocument(fileURLToPath(NEWER)),
    });
    const { page } = await open(`${await serve(app)}/docs`);
    expect(await page.locator('.sidebar summary').allInnerTexts()).toEqual([
      ...['Books', 'Searches', 'Copies', 'Catalogue', 'Schemas'],
    ]);
    expect(await page.locator('.sidebar .level-1 summary').allInnerTexts()).toEqual(['Searches', 'Copies']);
    expect(await page.locator('.group-title .within').allInnerTexts()).toEqual(['Books', 'Books']);
    expect(await page.locator('.scheme').first().innerText()).toContain('deviceAuthorizationUrl: https://');
    const sent = async (id: string): Promise<string> => {
      const operation = page.locator(`[id="operation/${id}"]`);
      await operation.getByRole('button', { name: 'Send' }).click();
      await operation.locator('.reply').waitFor();
      return operation.locator('.reply').innerText();
    };
    expect(await sent('searchBooks')).toContain('QUERY /books');
    expect(await page.locator('[id="operation/searchBooks"]').innerText()).toContain('-X QUERY');
    expect(await sent('copyBooks')).toContain('COPY /books');
    expect(await page.locator('[id="operation/searchCatalogue"] .members .members').innerText()).toMatch(
      /^year\s+integer\s+required/,
    );
    expect(await sent('searchCatalogue')).toMatch(/GET \/catalogue\?year=\d/);
    expect(await sent('searchByPath')).toMatch(/GET \/catalogue\/path\?\w+"/);
  });

  test('explains that parts without names have no fields, and shows the parts of a reply', async () => {
    const payload = '--a\r\nContent-Type: application/json\r\n\r\n{"id":9007199254740993}\r\n--a--\r\n';
    const answer = { status: 200, headers: { 'Content-Type': 'multipart/mixed; boundary=a' }, payload };
    const app = createApp({
      contract: ({ request }) => (request.url === '/shelves' ? Promise.resolve(answer) : undefined),
      ...createTestObserver(),
      check: async () => undefined,
      document: await loadDocument(fileURLToPath(NEWER)),
    });
    const { page } = await open(`${await serve(app)}/docs`);
    const operation = page.locator('[id="operation/fillShelf"]');
    expect(await operation.locator('.body-editor').innerText()).toContain('send it from a program');
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.locator('.reply').waitFor();
    expect(await operation.locator('.reply').innerText()).toContain('{"id":9007199254740993}');
  });
});

describeIfThere('credentials in the API reference (install chromium, or these are skipped)', () => {
  const { open, newPage } = useChromium();
  let service: Service;
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  test('a refused token is marked, also after a reload, until another one is accepted', async () => {
    const { page } = await open(`${service.url}/docs`);
    const field = page.locator('.overview').getByLabel('Access token');
    const verdict = page.locator('.overview .verdict');
    expect(await verdict.innerText()).toBe('none yet');
    await field.fill('wrong');
    expect(await verdict.innerText()).toBe('set, not tried yet');
    expect(await send(page)).toBe('401');
    expect(await verdict.innerText()).toBe('refused by the service');
    expect(await page.locator('.notice').innerText()).toContain('has refused these credentials');
    await page.reload();
    expect(await verdict.innerText()).toBe('refused by the service');
    await field.fill(TOKEN);
    expect(await send(page)).toBe('200');
    expect(await verdict.innerText()).toBe('accepted');
    expect(await page.locator('.notice').count()).toBe(0);
  });

  test('without a token, a 401 asks for one', async () => {
    const { page } = await open(`${service.url}/docs`);
    expect(await send(page)).toBe('401');
    expect(await page.locator('.notice').innerText()).toContain('asks for credentials');
  });

  test('a link brings the token, which leaves the address and reaches no server but in a request', async () => {
    const page = await newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${service.url}/docs#token=${TOKEN}`);
    await page.locator('.operation').waitFor();
    expect(page.url()).toBe(`${service.url}/docs`);
    expect(await send(page)).toBe('200');
    await page.reload();
    expect(await send(page)).toBe('200');
    expect(asked.filter((url) => url.includes(TOKEN))).toEqual([]);
  });

  test('a link replaces no kept token but one that was refused', async () => {
    const { page } = await open(`${service.url}/docs#token=${TOKEN}`);
    const field = page.locator('.overview').getByLabel('Access token');
    const follow = async (token: string) => {
      await page.goto('about:blank');
      await page.goto(`${service.url}/docs#token=${token}`);
      await page.locator('.operation').waitFor();
      expect(page.url()).toBe(`${service.url}/docs`);
    };
    await follow('of-a-stranger');
    expect(await field.inputValue()).toBe(TOKEN);
    expect(await send(page)).toBe('200');
    await field.fill('of-yesterday');
    expect(await send(page)).toBe('401');
    await follow(TOKEN);
    expect(await field.inputValue()).toBe(TOKEN);
    expect(await send(page)).toBe('200');
    await page.reload();
    expect(await field.inputValue()).toBe(TOKEN);
  });

  test('a redirect to another origin takes no key there, with or without the policy of the page', async () => {
    const asked: (string | undefined)[] = [];
    const elsewhere = await serve(
      express().use((request, response) => {
        asked.push(request.url);
        response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' }).end();
      }),
    );
    const redirect: ServeContract = ({ request }) =>
      request.url.startsWith('/v1/')
        ? Promise.resolve({ status: 307, headers: { Location: `${elsewhere}/stolen` }, payload: '' })
        : undefined;
    const url = await serveDocument(
      {
        security: [{ key: [] }],
        paths: { '/things': { get: { responses: OK } } },
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      },
      redirect,
    );
    const { page } = await open(url, { bypassCSP: true });
    await page.locator('.try').getByLabel('Key (X-Key)').fill('one');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.outcome .notice').waitFor();
    expect(asked).toEqual([]);
  });

  test('the visible code hides the token, and the copied code has it', async () => {
    const { page } = await open(`${service.url}/docs#token=${TOKEN}`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    for (const language of ['curl', 'TypeScript', 'Python']) {
      await page.getByRole('tab', { name: language }).click();
      expect(await page.locator('.samples .code').innerText()).not.toContain(TOKEN);
      await page.locator('.samples').getByRole('button', { name: 'Copy' }).click();
      await page.locator('.samples').getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain(TOKEN);
    }
  });

  test.each([
    ['bearer', { type: 'http', scheme: 'bearer' }, ['Access token'], { authorization: 'Bearer one' }],
    ['OAuth 2.0', { type: 'oauth2', flows: {} }, ['Access token'], { authorization: 'Bearer one' }],
    [
      'basic',
      { type: 'http', scheme: 'basic' },
      ['Name', 'Password'],
      { authorization: 'Basic b25lOnR3bw==' },
    ],
    [
      'a key in a header',
      { type: 'apiKey', in: 'header', name: 'X-Key' },
      ['Key (X-Key)'],
      { 'x-key': 'one' },
    ],
    [
      'another scheme',
      { type: 'http', scheme: 'digest' },
      ['Credentials (http digest)'],
      { authorization: 'one' },
    ],
  ])('%s is sent as the contract says, below the path of the server', async (_, scheme, labels, headers) => {
    const url = await serveDocument({
      security: [{ it: [] }],
      paths: { '/things': { get: { responses: OK } } },
      components: { securitySchemes: { it: scheme } },
    });
    const { page } = await open(url);
    for (const [nth, label] of labels.entries())
      await page
        .locator('.overview')
        .getByLabel(label)
        .fill(['one', 'two'][nth] ?? '');
    expect(await send(page)).toBe('200');
    const mirrored: unknown = JSON.parse(await page.locator('.reply .code').innerText());
    expect(mirrored).toMatchObject({ url: '/v1/things', headers });
  });

  test('a key in the query stands there, and each alternative has its field', async () => {
    const url = await serveDocument({
      security: [{ token: [] }, { key: [] }],
      paths: { '/things': { get: { responses: OK } } },
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer' },
          key: { type: 'apiKey', in: 'query', name: 'key' },
        },
      },
    });
    const { page } = await open(url);
    await page.locator('.try').getByLabel('Key (key)').fill('a b');
    await send(page);
    const mirrored: unknown = JSON.parse(await page.locator('.reply .code').innerText());
    expect(mirrored).toMatchObject({ url: '/v1/things?key=a%20b' });
  });
});

/** Gives the text of everything whose contrast with its ground is below 4.5 (WCAG 2.2, section 1.4.3). */
const FAINT = `(() => {
  const channels = (colour) => {
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const light = ([red, green, blue]) =>
    [red, green, blue]
      .map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, nth) => sum + part * [0.2126, 0.7152, 0.0722][nth], 0);
  const groundOf = (element) => {
    for (let here = element; here; here = here.parentElement) {
      const ground = channels(getComputedStyle(here).backgroundColor);
      if (ground[3] === 255) return ground;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('body *')]
    .filter((element) => element.checkVisibility() && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((element) => {
      const [one, other] = [light(channels(getComputedStyle(element).color)), light(groundOf(element))];
      return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < 4.5;
    })
    .map((element) => element.className + ': ' + element.textContent.slice(0, 40));
})()`;

/** Gives the fields and buttons that have no name for those who cannot see them. */
const NAMELESS = `[...document.querySelectorAll('input, select, textarea, button, a, summary')]
  .filter((element) => !element.labels?.length && !element.ariaLabel && !element.textContent.trim())
  .map((element) => element.outerHTML)`;

const ID = '9223372036854775807';

describeIfThere('the API reference of a contract', () => {
  const { open } = useChromium();

  const SHAPES = {
    paths: {
      '/things/{kind}': {
        post: {
          operationId: 'createThing',
          parameters: [
            { name: 'kind', in: 'path', required: true, schema: { enum: ['big', 'small'] } },
            { name: 'tags', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          ],
          requestBody: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } },
          },
          responses: {
            ...OK,
            400: {
              description: 'Not understood',
              content: { 'application/json': { schema: { type: 'object' } } },
            },
          },
        },
      },
    },
    components: {
      schemas: {
        Thing: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string', maxLength: 80 } },
        },
        NewThing: {
          allOf: [
            { $ref: '#/components/schemas/Thing' },
            {
              type: 'object',
              required: ['id'],
              properties: {
                id: { type: 'integer', format: 'int64' },
                made: { type: 'string', readOnly: true },
                owner: {
                  oneOf: [{ $ref: '#/components/schemas/Person' }, { $ref: '#/components/schemas/Firm' }],
                },
              },
            },
          ],
        },
        Person: { type: 'object', properties: { age: { type: 'integer' } } },
        Firm: {
          type: 'object',
          properties: { seat: { type: 'string' }, parent: { $ref: '#/components/schemas/Firm' } },
        },
      },
    },
  };

  test('an allOf is one list of members, and a oneOf lets choose', async () => {
    const { page, complaints } = await open(await serveDocument(SHAPES));
    const body = page.locator('.about .block').filter({ hasText: 'Body' }).first();
    const titles = await body.locator('.member-title').allInnerTexts();
    expect(titles.map((title) => title.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'name string required',
      'id integer · int64 required',
      'made string read only',
      'owner Person or Firm',
    ]);
    await body.getByText('Members of owner').click();
    await body.getByLabel('One of').selectOption('Firm');
    expect(await body.locator('.variants').innerText()).toContain('seat');
    await body.getByText('Members of parent').click(); // a schema that holds itself opens step by step
    await body.locator('.variants .nested').first().getByText('seat').waitFor();
    expect(await page.locator('.editor').inputValue()).not.toContain('made');
    expect(complaints).toEqual([]);
  });

  test('links stand in their response and callbacks in their operation, folded, and webhooks in a section', async () => {
    const sent = (type: string) => ({
      requestBody: {
        content: { 'application/json': { schema: { properties: { [type]: { type: 'string' } } } } },
      },
      responses: { 204: { description: 'Received' } },
    });
    const { page, complaints } = await open(
      await serveDocument({
        paths: {
          '/orders': {
            post: {
              operationId: 'createOrder',
              responses: {
                201: {
                  description: 'Taken.',
                  links: {
                    readIt: { operationId: 'readOrder', parameters: { id: '$response.body#/id' } },
                    dropIt: { operationRef: '#/paths/~1orders~1{id}/delete' },
                  },
                },
              },
              callbacks: { shipped: { '{$request.body#/notify}': { post: sent('parcel') } } },
            },
          },
          '/orders/{id}': {
            get: { operationId: 'readOrder', summary: 'Read an order', responses: OK },
            delete: { operationId: 'dropOrder', summary: 'Drop an order', responses: OK },
          },
        },
        webhooks: {
          priceChanged: { post: { summary: 'A price has changed', ...sent('price') } },
          closing: { $ref: '#/components/pathItems/Closing' },
        },
        components: { pathItems: { Closing: { post: sent('hour') } } },
      }),
    );
    const created = page.locator('.operation').first();
    const [links, callbacks] = [created.locator('.links-after'), created.locator('.callbacks')];
    expect(await links.locator('summary').allInnerTexts()).toEqual([
      expect.stringMatching(/readIt\s+Read an order/),
      expect.stringMatching(/dropIt\s+Drop an order/),
    ]);
    expect(await links.getByText('$response.body#/id').isVisible()).toBe(false);
    await links.getByText('readIt').click();
    expect(await links.getByText('$response.body#/id').isVisible()).toBe(true);
    expect(await callbacks.innerText()).not.toContain('parcel');
    await callbacks.getByText('shipped').click();
    await callbacks.getByText('Received').waitFor();
    expect(await callbacks.innerText()).toMatch(/\{\$request\.body#\/notify\}[\s\S]*parcel[\s\S]*Received/);
    expect(await page.locator('#webhooks h3').allInnerTexts()).toEqual(['A price has changed', 'closing']);
    expect(await page.locator('#webhooks .code').first().innerText()).toContain('"price"');
    await links.getByRole('link', { name: '/orders/{id}' }).click();
    expect(page.url()).toMatch(/#operation\/readOrder$/);
    await page.locator('.sidebar').getByRole('link', { name: 'A price has changed' }).click();
    expect(page.url()).toMatch(/#webhook\/priceChanged%2Fpost$/);
    await page.getByLabel('Search').fill('closing');
    expect(await page.locator('.sidebar li').count()).toBe(1);
    expect(await page.evaluate(FAINT)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('successes are open, and errors folded', async () => {
    const { page } = await open(await serveDocument(SHAPES));
    const isOpen = (status: string) =>
      page.locator('.answer').filter({ hasText: status }).getAttribute('open');
    expect([await isOpen('200'), await isOpen('400')]).toEqual(['', null]);
  });

  test('parameters are sent in their styles, and the code follows the input', async () => {
    const { page } = await open(await serveDocument(SHAPES));
    await page.locator('.try').getByLabel('kind').selectOption('small');
    await page.locator('.try').getByLabel('tags').fill('["a b", "c"]');
    await page.locator('.editor').fill(`{"id": ${ID}, "name": "It's"}`);
    const code: Record<string, string> = {};
    for (const language of ['curl', 'TypeScript', 'Python']) {
      await page.getByRole('tab', { name: language }).click();
      code[language] = await page.locator('.samples .code').innerText();
    }
    expect(code.curl).toContain(`/v1/things/small?tags=a%20b&tags=c' \\`);
    expect(code.curl).toContain(`-d '{"id": ${ID}, "name": "It'\\''s"}'`);
    expect(code.TypeScript).toContain(`client.createThing({`);
    expect(code.TypeScript).toContain(`path: { kind: 'small' }`);
    expect(code.TypeScript).toContain(`query: { tags: ['a b', 'c'] }`);
    expect(code.TypeScript?.replaceAll(/\s+/g, ' ')).toContain(`body: { id: ${ID}n, name: 'It\\'s', }`);
    expect(code.Python).toContain('requests.post(');
    expect(code.Python?.replaceAll(/\s+/g, ' ')).toContain(`json={ "id": ${ID}, "name": "It's", }`);
    await send(page);
    expect(await page.locator('.reply .code').innerText()).toContain('"/v1/things/small?tags=a%20b&tags=c"');
  });

  const MANY = {
    paths: Object.fromEntries(
      Array.from({ length: 100 }, (_, nth) => [
        `/things/${nth}`,
        { get: { operationId: `readThing${nth}`, summary: `Read thing ${nth}`, responses: OK } },
      ]),
    ),
  };

  test('of a hundred operations one is shown at a time, and the search finds it', async () => {
    const { page, complaints } = await open(await serveDocument(MANY), {}, '.overview');
    await page.getByRole('searchbox').fill('thing 42');
    expect(await page.locator('.sidebar li').allInnerTexts()).toEqual([
      expect.stringContaining('Read thing 42'),
    ]);
    await page.keyboard.press('Enter');
    await page.locator('.operation').waitFor();
    expect(await page.locator('main h3').allInnerTexts()).toEqual(['Read thing 42']);
    expect(page.url()).toMatch(/#operation\/readThing42$/);
    await page.goBack();
    await page.locator('.overview').waitFor();
    expect(complaints).toEqual([]);
  });

  test.each(['light', 'dark'] as const)(
    'in the %s all text has contrast, and all fields have names',
    async (colorScheme) => {
      const { page } = await open(await serveDocument(SHAPES), { colorScheme });
      await send(page);
      for (const folded of await page.locator('main summary').all()) await folded.click();
      expect(await page.evaluate(FAINT)).toEqual([]);
      expect(await page.evaluate(NAMELESS)).toEqual([]);
      const levels = await page
        .locator('h1, h2, h3, h4')
        .evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])));
      expect(levels.filter((level, nth) => level > (levels[nth - 1] ?? 0) + 1)).toEqual([]);
    },
  );

  test('a keyboard alone reaches the content, the tabs and the button', async () => {
    const { page } = await open(await serveDocument(SHAPES));
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.getByRole('tab', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('TypeScript');
    await page.locator('.editor').focus();
    await page.keyboard.press('Control+Enter');
    await page.locator('.reply').waitFor();
  });

  test('HTML in a description is shown as text, and links that run a script are removed', async () => {
    const description =
      '**Bold** <img src=x onerror=alert(1)> [run](javascript:alert(1)) ![pic](data:text/html,x) <vbscript:x> [fine](https://things.example/)';
    const address = { name: 'Somebody', url: ' JavaScript:alert(1)' };
    const info = {
      contact: address,
      license: address,
      termsOfService: 'data:text/html,<script>alert(1)</script>',
    };
    const { page, complaints } = await open(
      await serveDocument({ info: { title: 'Things', version: '1', description, ...info }, paths: {} }),
      {},
      '.overview',
    );
    const text = page.locator('.overview .markdown');
    expect(await text.locator('strong').innerText()).toBe('Bold');
    expect(await text.locator('img').count()).toBe(0);
    expect(await text.innerText()).toBe('Bold <img src=x onerror=alert(1)> run pic vbscript:x fine');
    const links = await page
      .locator('.overview a')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(links).toEqual(['https://things.example/', 'openapi.json', 'openapi.yaml']);
    expect(await page.locator('.overview .links').innerText()).toMatch(
      /Somebody licence\s+Somebody\s+Terms of service/,
    );
    expect(complaints).toEqual([]);
  });
});
