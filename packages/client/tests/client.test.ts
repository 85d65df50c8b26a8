import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { UnexpectedReply } from '@trellis/client';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { importClient, serveThings, type TestHandlers } from './things-service.ts';

const makeFolder = temporaryFolders();
const BEYOND = 9007199254740993n;
const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);

/** Formats the values of a request as text, bytes as their digits. */
const asText = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(asText);
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint' ? `${value}n` : value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, asText(member)]));
};
type Received = Readonly<Record<'path' | 'query' | 'header' | 'cookie' | 'body' | 'principal', unknown>>;
const echo = async ({ path, query, header, cookie, body, principal }: Received) => ({
  status: 200,
  body: Object(asText({ path, query, header, cookie, body, principal })),
});

const THING = { id: BEYOND, name: 'Lamp', made: '2026-03-01' };
const handlers = {
  createThing: async ({ body }: { body: { id: bigint; name: string; secret?: string } }) => {
    if (body.name === 'taken')
      return {
        status: 409,
        headers: { 'Content-Type': 'application/problem+json' },
        body: { title: 'Taken', id: body.id },
      };
    if (body.name === 'lost') return { status: 507, body: 'no room' };
    return { status: 201, body: { ...THING, ...body, made: '2026-03-01' } };
  },
  getThing: async ({ path }: { path: { id: bigint } }) => ({
    status: 200,
    body: {
      ...THING,
      id: path.id,
      weight: 1.5,
      parent: { ...THING, id: LEAST, parent: null },
      parts: [{ ...THING, id: MOST, parts: [{ ...THING, id: 1n, weight: 12 }] }],
      counts: { plain: 7, other: BEYOND },
      marks: { 'a.b!': BEYOND, 'a.b': 7 },
      pair: [0.5, BEYOND],
    },
  }),
  headThing: async () => ({ status: 200, body: undefined }),
  deleteThing: async ({ path }: { path: { id: bigint } }) =>
    path.id === 1n
      ? { status: 303, headers: { Location: '/elsewhere' }, body: undefined }
      : { status: 204, body: undefined },
  'reports/list-all': async () => ({
    status: 200,
    body: [
      { kind: 'total', value: BEYOND },
      { kind: 'total', value: BEYOND, of: 'years', last: BEYOND },
      { kind: 'share', value: 3 },
    ],
  }),
  download: async ({ query }: { query: { as: string } }) => ({
    status: 200,
    headers: { 'Content-Type': query.as },
    body: query.as === 'application/json' ? { size: MOST } : Buffer.from('a,b'),
  }),
  ...Object.fromEntries(
    ['listThings', 'cut', 'sendBody', 'visit', 'visitByName', 'visitByKey'].map((id) => [id, echo]),
  ),
} satisfies TestHandlers;

let service: Awaited<ReturnType<typeof serveThings>>;
let createClient: Awaited<ReturnType<typeof importClient>>;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  createClient = await importClient(await makeFolder());
  service = await serveThings(handlers);
  client = createClient({ url: `${service.url}/`, token: async () => 's3cret' });
}, 60_000);
afterAll(() => service.close());

describe('int64s are exact both ways', () => {
  test.each([BEYOND, MOST, LEAST, 0n, -1n])('%s comes back as the bigint that it was', async (id) => {
    const made = await client.createThing({ body: { id, name: 'Lamp' } });
    expect(made).toMatchObject({ status: 201, mediaType: 'application/json', body: { id, name: 'Lamp' } });
    expect((await client.getThing({ path: { id } })).body.id).toBe(id);
  });

  test('in recursive schemas, maps, members by patterns, tuples and unions with a discriminator, and nowhere else', async () => {
    const { body } = await client.getThing({ path: { id: 5n } });
    expect(body).toEqual({
      ...THING,
      id: 5n,
      weight: 1.5,
      parent: { ...THING, id: LEAST, parent: null },
      parts: [{ ...THING, id: MOST, parts: [{ ...THING, id: 1n, weight: 12 }] }],
      counts: { plain: 7, other: BEYOND },
      marks: { 'a.b!': BEYOND, 'a.b': 7 },
      pair: [0.5, BEYOND],
    });
    const reports = await client['reports/list-all']();
    expect(reports.body).toEqual([
      { kind: 'total', value: BEYOND },
      { kind: 'total', value: BEYOND, of: 'years', last: BEYOND },
      { kind: 'share', value: 3 },
    ]);
  });
});

describe('replies', () => {
  test('have the body of their status: problems, ranges and the default too', async () => {
    const create = (name: string, id: unknown = BEYOND) => client.createThing({ body: { id, name } });
    expect(await create('taken')).toMatchObject({
      status: 409,
      mediaType: 'application/problem+json',
      body: { title: 'Taken', id: BEYOND },
    });
    expect(await create('lost')).toMatchObject({ status: 507, mediaType: 'text/plain', body: 'no room' });
    expect(await create('odd', 'no number')).toMatchObject({ status: 400, body: { error: 40002 } });
  });

  test.each([
    ['application/json', { size: MOST }],
    ['text/csv', 'a,b'],
    ['application/octet-stream', new Uint8Array(Buffer.from('a,b'))],
  ])('as %s are read as such', async (as, body) => {
    expect(await client.download({ query: { as } })).toMatchObject({ status: 200, mediaType: as, body });
  });

  test('without a body have none, and a declared redirect is a reply', async () => {
    const bare = { mediaType: undefined, body: undefined };
    expect(await client.deleteThing({ path: { id: 2n } })).toMatchObject({ status: 204, ...bare });
    expect(await client.headThing({ path: { id: 2n } })).toMatchObject({ status: 200, ...bare });
    const redirect = await client.deleteThing({ path: { id: 1n } });
    expect(redirect).toMatchObject({ status: 303, ...bare });
    expect(redirect.headers.get('location')).toBe('/elsewhere');
  });

  test.each([
    ['status', 418, 'text/plain', 'teapot', /status 418/],
    ['media type', 200, 'text/html', '<p>', /status 200 with Content-Type text\/html/],
    ['body', 200, 'application/json', '{', /a body that is not JSON/],
  ])(
    'with a %s that the contract does not declare are thrown, with the body',
    async (_, status, type, text, why) => {
      const odd = async () => new Response(text, { status, headers: { 'content-type': type } });
      const call = createClient({ url: 'http://things.example', fetch: odd }).visit();
      const thrown = await call.catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(UnexpectedReply);
      expect(thrown).toMatchObject({ status, text, message: expect.stringMatching(why) });
    },
  );
});

describe('parameters are written as the service reads them', () => {
  test('in a query, a header and a cookie, in every style', async () => {
    const { body } = await client.listThings({
      query: {
        limit: 3,
        after: BEYOND,
        tags: ['a&b', 'ü,c'],
        ids: [1n, BEYOND],
        pipes: ['p', 'q, r'],
        spaces: ['s', 't&u'],
        filter: { colour: 'red + blue', size: 4 },
        range: { from: 1, to: undefined },
        order: ['name', 'id'],
      },
      header: { 'X-Trace': [1, 2], Accept: 'text/html' },
      cookie: { theme: 'dark; blue' },
    });
    expect(body).toMatchObject({
      query: {
        limit: 3,
        after: `${BEYOND}n`,
        tags: ['a&b', 'ü,c'],
        ids: ['1n', `${BEYOND}n`],
        pipes: ['p', 'q, r'],
        spaces: ['s', 't&u'],
        filter: { colour: 'red + blue', size: 4 },
        range: { from: 1 },
        order: ['name', 'id'],
      },
      header: { 'X-Trace': [1, 2] },
      cookie: { theme: 'dark; blue' },
    });
  });

  test('in a path, in every style', async () => {
    const path = { plain: 'a/b ü', label: ['x', 'y'], matrix: [1, 2], object: { r: 1, g: 2 } };
    expect((await client.cut({ path })).body.path).toEqual(path);
  });

  test.each(['', '.', '..'])('and a path that %j would lead astray is not sent', async (plain) => {
    const path = { plain, label: ['x'], matrix: [1], object: { r: 1 } };
    await expect(client.cut({ path })).rejects.toThrow(TypeError);
  });
});

describe('bodies', () => {
  const bytes = new Uint8Array([0, 255, 10]);
  test.each([
    ['JSON', { body: { a: [null, '\u0001'] } }, { a: [null, '\u0001'] }],
    ['JSON of a range', { body: { a: 1 }, mediaType: 'application/vnd.a+json' }, { a: 1 }],
    ['text', { body: 'Grüße', mediaType: 'text/plain' }, 'Grüße'],
    ['bytes', { body: bytes, mediaType: 'application/octet-stream' }, '00ff0a'],
    ['a blob', { body: new Blob([bytes]), mediaType: 'image/png' }, '00ff0a'],
    [
      'a form',
      {
        body: { name: 'a=b&c', id: BEYOND, tags: ['x', 'y'], ids: [1, 2], more: { a: 1 } },
        mediaType: 'application/x-www-form-urlencoded',
      },
      { name: 'a=b&c', id: `${BEYOND}n`, tags: ['x', 'y'], ids: [1, 2], more: { a: 1 } },
    ],
    [
      'a form with files',
      {
        body: { file: bytes, files: [new Blob([bytes]), bytes], title: 'Ü', more: { id: BEYOND } },
        mediaType: 'multipart/form-data',
      },
      { file: '00ff0a', files: ['00ff0a', '00ff0a'], title: 'Ü', more: { id: `${BEYOND}n` } },
    ],
    ['no body', undefined, undefined],
  ])('%s arrives unchanged', async (_, request, body) => {
    expect((await client.sendBody(request)).body.body).toEqual(body);
  });

  test('of a media type that is not declared are not sent', async () => {
    await expect(client.sendBody({ body: 'a', mediaType: 'text/html' })).rejects.toThrow(
      /text\/html is not declared; send application\/json or/,
    );
  });
});

describe('credentials are those that the operation asks for', () => {
  const visitor = async (id: string, options: object) => {
    const reply = await createClient({ url: service.url, ...options })[id]();
    return reply.status === 200 ? reply.body.principal : reply.status;
  };

  test('a token, a name with its password, keys', async () => {
    const basic = { name: 'ada', password: 'pässword:' };
    expect(await visitor('visitByName', { basic, token: 's3cret' })).toMatchObject({ name: 'ada' });
    expect(await visitor('visitByKey', { token: 's3cret', apiKey: 'app key' })).toMatchObject({
      name: 'tests',
    });
    const apiKey = { appKey: 'app key', userKey: 'user&key' };
    expect(await visitor('visitByKey', { apiKey })).toMatchObject({ name: 'app key' });
    expect(await visitor('visitByKey', { token: 's3cret' })).toBe(401);
  });

  test('and none are sent where it asks for none', async () => {
    const sent: (string | null)[] = [];
    const watched: typeof fetch = (url, init) => {
      sent.push(new Headers(init?.headers).get('authorization'));
      return fetch(url, init);
    };
    await visitor('visit', { token: 's3cret', fetch: watched });
    await visitor('listThings', { token: 's3cret', fetch: watched });
    expect(sent).toEqual([null, 'Bearer s3cret']);
  });
});

describe('a redirect is not followed', () => {
  const server = (answer: RequestListener) => {
    const listening = createServer(answer).listen(0, '127.0.0.1');
    return once(listening, 'listening').then(() => ({
      url: `http://127.0.0.1:${Object(listening.address()).port}`,
      close: () => listening.close(),
    }));
  };

  test.each([301, 302, 303, 307, 308])('so that no key goes to another origin after a %s', async (status) => {
    const asked: unknown[] = [];
    const other = await server(({ headers, url }, response) => {
      asked.push({ url, headers });
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    const first = await server((_, response) => {
      response.writeHead(status, { Location: `${other.url}/stolen` }).end();
    });
    const apiKey = { appKey: 'app key', userKey: 'user&key' };
    const thrown = await createClient({ url: first.url, apiKey })
      .visitByKey()
      .catch((error: unknown) => error);
    first.close();
    other.close();
    expect(asked).toEqual([]);
    expect(thrown).toBeInstanceOf(UnexpectedReply);
    expect(thrown).toMatchObject({
      status,
      message: expect.stringContaining(`redirect to ${other.url}/stolen`),
    });
  });

  test('and a browser, which shows a page nothing of it, is no reply either', async () => {
    const opaque = async () =>
      Object({ type: 'opaqueredirect', status: 0, headers: new Headers(), text: async () => '' });
    const call = createClient({ url: 'http://things.example', fetch: opaque }).createThing({ body: THING });
    await expect(call).rejects.toThrow(/a redirect/);
  });
});

test('an aborted request, and a service that is down, reject like fetch', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(client.visit({ signal })).rejects.toThrow('enough');
  await expect(createClient({ url: 'http://127.0.0.1:1' }).visit()).rejects.toThrow('fetch failed');
});
