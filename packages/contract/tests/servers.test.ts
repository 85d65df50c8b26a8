import { withBasePath } from '@trellis/contract/internal';
import type { Document } from '@trellis/openapi';
import { documentOf } from './support/documents.ts';
import { type Handlers, serve } from './support/serve.ts';

const ITEM = { get: { operationId: 'getThing', responses: { 200: { description: 'ok' } } } };

const documentAt = (servers: unknown, paths: object = { '/things': ITEM }, more: object = {}) =>
  documentOf({ ...(servers !== undefined && { servers }), paths, ...more });

const answer = async () => ({ status: 200, body: undefined });
const HANDLERS: Handlers = { getThing: answer };

/** Which of these paths a service has. */
const servedOf = async (document: Document, paths: readonly string[], handlers = HANDLERS) => {
  const { send } = await serve(document, handlers);
  const statuses = await Promise.all(paths.map(async (path) => (await send(path)).status));
  return paths.filter((_path, index) => statuses[index] === 200);
};

const PROBES = ['/things', '/v1/things', '/a/b/things', '/caf%C3%A9/things', '//v1/things'];

test.each([
  [undefined, '/things'],
  [[], '/things'],
  [[{ url: '/' }], '/things'],
  [[{ url: '.' }], '/things'],
  [[{ url: 'https://api.example.com' }], '/things'],
  [[{ url: 'https://api.example.com/v1' }], '/v1/things'],
  [[{ url: 'https://api.example.com/v1/' }], '/v1/things'],
  [[{ url: '/v1' }], '/v1/things'],
  [[{ url: 'v1' }], '/v1/things'],
  [[{ url: './x/../v1?a=b#c' }], '/v1/things'],
  [[{ url: '//api.example.com/v1' }], '/v1/things'],
  [[{ url: 'https://api.example.com//v1' }], '//v1/things'],
  [[{ url: 'https://api.example.com/a/b' }, { url: '/v1' }], '/a/b/things'],
  [[{ url: 'https://api.example.com/café' }], '/caf%C3%A9/things'],
  [[{ url: 'https://api.example.com/caf%c3%a9' }], '/caf%C3%A9/things'],
  [
    [
      {
        url: '{scheme}://{host}:{port}/{path}',
        variables: { scheme: { default: 'https' }, port: { default: '443' }, path: { default: 'v1' } },
      },
    ],
    '/v1/things',
  ],
  [[{ url: 'https://a.example/{path}', variables: { path: { default: '' } } }], '/things'],
  [[{ url: 'https://a.example{path}', variables: { path: { default: '/a/b' } } }], '/a/b/things'],
])('the servers %j put the operations at %s alone', async (servers, path) => {
  expect(await servedOf(await documentAt(servers), PROBES)).toEqual([path]);
});

/** Servers at every level; the last paths inherit from the nearest that has any. */
const LEVELS = await documentAt([{ url: '/v1' }], {
  '/of-document': ITEM,
  '/of-path': { servers: [{ url: '/v2' }], get: { ...ITEM.get, operationId: 'ofPath' } },
  '/of-operation': {
    servers: [{ url: '/v2' }],
    get: {
      ...ITEM.get,
      operationId: 'ofOperation',
      servers: [{ url: 'https://a.example/{v}', variables: { v: { default: 'v3' } } }],
    },
    post: { ...ITEM.get, operationId: 'besideIt' },
  },
  '/of-none': { servers: [], get: { ...ITEM.get, operationId: 'ofNone', servers: [] } },
});
const LEVEL_HANDLERS = Object.fromEntries(
  ['getThing', 'ofPath', 'ofOperation', 'besideIt', 'ofNone'].map((id) => [id, answer]),
);
const LEVEL_PROBES = ['', '/v1', '/v2', '/v3', '/v9'].flatMap((base) =>
  Object.keys(LEVELS.paths ?? {}).map((path) => base + path),
);

test('servers of a path replace the servers of the document, and servers of an operation replace both', async () => {
  expect(await servedOf(LEVELS, LEVEL_PROBES, LEVEL_HANDLERS)).toEqual([
    '/v1/of-document',
    '/v1/of-none',
    '/v2/of-path',
    '/v3/of-operation',
  ]);
});

test('a base path replaces the servers of the document only', async () => {
  expect(await servedOf(withBasePath(LEVELS, '/v9'), LEVEL_PROBES, LEVEL_HANDLERS)).toEqual([
    '/v2/of-path',
    '/v3/of-operation',
    '/v9/of-document',
    '/v9/of-none',
  ]);
  expect(await servedOf(withBasePath(await documentAt([{ url: '/v1' }]), '/'), PROBES)).toEqual(['/things']);
});

test('a path may be served at several places, with different methods at each', async () => {
  const { send } = await serve(LEVELS, LEVEL_HANDLERS);
  const allowed = async (path: string) => (await send(path, { method: 'OPTIONS' })).headers.get('allow');
  expect(await allowed('/v2/of-operation')).toBe('POST, OPTIONS');
  expect(await allowed('/v3/of-operation')).toBe('GET, HEAD, OPTIONS');
});

test('a path item with several references has its servers at each reference', async () => {
  const paths = {
    '/one': { $ref: '#/components/pathItems/Shared' },
    '/two': { get: { ...ITEM.get, operationId: 'two' } },
  };
  const pathItems = { Shared: { servers: [{ url: 'https://a.example/v2' }], ...ITEM } };
  const document = await documentAt([{ url: '/v1' }], paths, { components: { pathItems } });
  const probes = ['/v1/one', '/v2/one', '/v1/two', '/v2/two'];
  expect(await servedOf(document, probes, { ...HANDLERS, two: answer })).toEqual(['/v2/one', '/v1/two']);
});
