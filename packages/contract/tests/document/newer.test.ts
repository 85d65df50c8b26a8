import { fileURLToPath } from 'node:url';
import { temporaryFolders } from '../../../../tests/support/temporary.ts';
import { importClient } from '../../../client/tests/things-service.ts';
import { allOperations } from '../../../openapi/src/document/path-item.ts';
import { readContract } from '../../../openapi/src/files/load.ts';
import { ownMember, pointerTo, valueAt } from '../../../openapi/src/json/pointer.ts';

import { serveDocument, type TestHandlers } from '../../../server/tests/support/serve.ts';
import type { Reply } from '../../src/reply/reply.ts';
import { stub } from '../../src/reply/stub.ts';
import type { Authenticators } from '../../src/security/security.ts';

const FILE = fileURLToPath(new URL('../documents/newer.yaml', import.meta.url));
const { document, notes } = await readContract(FILE);
const newFolder = temporaryFolders();
const STUBS = Object.fromEntries(
  allOperations(document).map(({ operation }) => [String(operation.operationId), stub]),
);

const authenticators: Authenticators = { device: { type: 'bearer', authenticate: () => undefined } };

const PAGE = 'https://library.example';

describe('a contract with all of OpenAPI 3.2', () => {
  const asked: unknown[] = [];
  const handle = (reply: Reply) => async (request: unknown) => {
    asked.push(request);
    return reply;
  };
  const books = { status: 200, body: [{ id: 9007199254740993n, title: 'Emma' }] };
  let shown: () => AsyncIterable<unknown>;
  const handlers: TestHandlers = {
    ...STUBS,
    searchBooks: handle(books),
    copyBooks: handle({ status: 204 }),
    purgeBooks: handle({ status: 204 }),
    searchCatalogue: handle(books),
    searchExactly: handle(books),
    searchByPath: handle(books),
    importBooks: handle({ status: 204 }),
    fillShelf: handle({ status: 204 }),
    replaceShelf: handle({ status: 204 }),
    watchShelf: async () => ({ status: 200, body: shown() }),
  };
  let service: Awaited<ReturnType<typeof serveDocument>>;
  let client: Record<string, (request?: object) => Promise<{ status: number; body: unknown }>>;
  beforeAll(async () => {
    service = await serveDocument({
      document,
      handlers,
      authenticators,
      answerStubs: true,
      checkReplies: true,
      corsOrigins: [PAGE],
    });
    client = (await importClient(await newFolder(), FILE))({ url: service.url });
  });
  afterAll(() => service.close());
  beforeEach(() => {
    asked.length = 0;
  });

  test('is read without a complaint', () => {
    expect(notes).toEqual([]);
  });

  test('has a QUERY, whose body is validated and decoded', async () => {
    const reply = await client.searchBooks?.({ body: { title: 'Emma', after: 9007199254740993n } });
    expect(reply).toMatchObject(books);
    expect(asked).toMatchObject([{ body: { title: 'Emma', after: 9007199254740993n } }]);
    await expect(client.searchBooks?.({ body: { after: 1 } })).rejects.toThrow('status 400');
  });

  test('has additional operations, and names all methods in Allow', async () => {
    expect(await client.copyBooks?.({ header: { Destination: '/shelf' } })).toMatchObject({ status: 204 });
    expect(asked).toMatchObject([{ header: { Destination: '/shelf' } }]);
    expect((await fetch(`${service.url}/books`, { method: 'COPY' })).status).toBe(400);
    const { status, headers } = await fetch(`${service.url}/books`, { method: 'LINK' });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD, QUERY, COPY, PURGE, OPTIONS');
  });

  test('allows pages of other origins to use its methods', async () => {
    const headers = { origin: PAGE, 'access-control-request-method': 'QUERY' };
    const reply = await fetch(`${service.url}/books`, { method: 'OPTIONS', headers });
    expect(reply.headers.get('access-control-allow-methods')).toBe('GET, HEAD, QUERY, COPY, PURGE');
  });

  test.each([
    ['a form', 'searchCatalogue', { year: 1815, tags: ['a&b', 'c'], pages: [1, 2] }],
    ['JSON', 'searchExactly', { ids: [9007199254740993n, 2n] }],
  ])('has a parameter that is the whole query: %s', async (_kind, operation, filter) => {
    expect(await client[operation]?.({ query: { filter } })).toMatchObject({ status: 200 });
    expect(asked).toMatchObject([{ query: { filter } }]);
  });

  test('has a whole query of another media type, which is a text, and cookies that are not encoded', async () => {
    const path = '$.books[?(@.year > 1815)]';
    await client.searchByPath?.({ query: { path }, cookie: { theme: '100%+dark' } });
    expect(asked).toMatchObject([{ query: { path }, cookie: { theme: '100%+dark' } }]);
  });

  test.each(['application/jsonl', 'application/json-seq'])(
    'takes a list of items as %s',
    async (mediaType) => {
      const body = [
        { id: 9007199254740993n, title: 'Emma' },
        { id: 2n, title: 'Persuasion' },
      ];
      expect(await client.importBooks?.({ body, mediaType })).toMatchObject({ status: 204 });
      expect(asked).toMatchObject([{ body }]);
    },
  );

  test('refuses an item that does not fit, and names it', async () => {
    const reply = await fetch(`${service.url}/imports`, {
      method: 'POST',
      headers: { 'content-type': 'application/jsonl' },
      body: '{"id":1,"title":"Emma"}\n\n{"id":2}\n',
    });
    expect(await reply.text()).toContain('body[1].title is required');
  });

  test('takes the parts of a multipart body by their position', async () => {
    const body = [{ id: 9007199254740993n, title: 'Emma' }, 7, Buffer.from([0xff, 0]), Buffer.from('text')];
    const files = [
      new Blob([Buffer.from([0xff, 0])], { type: 'image/png' }),
      new Blob(['text'], { type: 'text/csv' }),
    ];
    const sent = [...body.slice(0, 2), ...files];
    expect(await client.fillShelf?.({ body: sent })).toMatchObject({ status: 204 });
    expect(asked).toMatchObject([{ body }]);
  });

  /** A multipart body of parts that are written out: header fields, an empty line, and a body. */
  const send = async (method: string, mediaType: string, parts: readonly string[]) => {
    const headers = { 'content-type': `${mediaType}; boundary=b` };
    const body = `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--`;
    const reply = await fetch(`${service.url}/shelves`, { method, headers, body });
    return [reply.status, await reply.text()];
  };
  const EMMA = 'Content-Type: application/json\r\n\r\n{"id":1,"title":"Emma"}';

  test('reads parts of any schema by their media type, and those without one as bytes', async () => {
    const parts = [
      EMMA,
      'Content-Type: text/plain\r\n\r\nhello',
      '\r\nbytes',
      'Content-Type: image/png\r\n\r\n',
    ];
    expect(await send('PUT', 'multipart/related', parts)).toEqual([204, '']);
    expect(asked).toMatchObject([
      { body: [{ id: 1, title: 'Emma' }, 'hello', Buffer.from('bytes'), Buffer.of()] },
    ]);
  });

  test.each([
    [400, 'body[0].title is required', ['\r\n{"id":1}']],
    [400, 'body[0] is not valid JSON', ['\r\n{"id":1']],
    [400, 'body[1] must be an integer', [EMMA, '\r\nseven']],
    [400, 'body[2] must not have more than 4 characters', [EMMA, '\r\n7', '\r\nlarge']],
    [415, 'send body[0] as application/json', ['Content-Type: text/plain\r\n\r\n{}']],
    [
      415,
      'send body[2] as image/png or text/plain or another text/*',
      [EMMA, '\r\n7', 'Content-Type: image/gif\r\n\r\n'],
    ],
    [415, 'without a Content-Transfer-Encoding', ['Content-Transfer-Encoding: base64\r\n\r\ne30=']],
    [400, 'body must not have fewer than 1 items', []],
    [400, 'body is not valid multipart/mixed', ['no header']],
    [413, 'the body has more than 1000 parts', Array.from({ length: 1001 }, () => '\r\n')],
  ])('refuses parts with %d: %s', async (status, message, parts) => {
    expect(await send('POST', 'multipart/mixed', parts)).toEqual([status, expect.stringContaining(message)]);
  });

  test('streams parts by the schema and the media type of items', async () => {
    shown = async function* () {
      yield { body: { id: 9007199254740993n, title: 'Emma' } };
    };
    const reply = await fetch(`${service.url}/shelves`);
    expect(await reply.text()).toContain(
      'Content-Type: application/vnd.book+json\r\n\r\n{"id":9007199254740993,"title":"Emma"}\r\n',
    );
    const parts: unknown[] = [];
    for await (const { body } of Object(await client.watchShelf?.()).body) parts.push(body);
    expect(parts).toEqual([{ id: 9007199254740993n, title: 'Emma' }]);
  });

  test.each([
    { body: { id: 1n } },
    { headers: { 'Content-Type': 'text/plain' }, body: { id: 1n, title: 'Emma' } },
  ])('does not stream a part that breaks the contract: %#', async (part) => {
    shown = async function* () {
      yield part;
    };
    await expect(fetch(`${service.url}/shelves`).then((reply) => reply.text())).rejects.toThrow();
  });

  test.each([
    ['/catalogue?year=soon', 'query.filter.year must be an integer'],
    ['/catalogue?year=1815&size=1', 'query.filter.size is not allowed'],
    ['/catalogue', 'query.filter is required'],
    ['/catalogue?year=%zz', 'query.filter is not a valid form'],
    ['/catalogue/exact?%7B%22ids%22%3A1%7D', 'query.filter.ids must be an array'],
    ['/catalogue/exact?ids=1', 'query.filter is not valid JSON'],
    ['/catalogue/path?a', 'query.path must not have fewer than 2 characters'],
  ])('refuses the query of %s', async (target, message) => {
    const reply = await fetch(service.url + target);
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining(message)]);
  });

  test.each([
    [{ kind: 'cat', lives: 9 }, 200],
    [{ kind: 'cat', id: 1 }, 400],
    [{ kind: 'emu', id: 1 }, 200],
    [{ id: 1 }, 200],
    [{ kind: 'emu', lives: 9 }, 400],
  ])('selects the branch of %j, with a default for unknown names', async (pet, status) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${service.url}/pets`, { method: 'POST', headers, body: JSON.stringify(pet) });
    expect(reply.status).toBe(status);
    if (status === 200) expect(await reply.text()).toBe('{"kind":"emu","id":9007199254740993}');
  });

  test('is shown as OpenAPI 3.2 writes it', async () => {
    const shown: unknown = await (await fetch(`${service.url}/openapi.json`)).json();
    const item = valueAt(shown, pointerTo('paths', '/books')) ?? {};
    expect(Object.keys(item)).toEqual(['get', 'query', 'additionalOperations']);
    expect(Object.keys(ownMember(item, 'additionalOperations') ?? {})).toEqual(['COPY', 'PURGE']);
    expect(ownMember(shown, 'openapi')).toBe('3.2.0');
  });
});
