import { ownMember } from '@trellis/openapi/internal/json';
import express from 'express';
import type { Document } from 'openapi-backend';
import { expressServers } from '../../server/tests/support/express.ts';
import { createDocumentApp, serveDocument, type TestHandlers } from '../../server/tests/support/serve.ts';
import { withBasePath } from '../src/routing/servers.ts';

const serve = expressServers();

const ITEM = { get: { operationId: 'getThing', responses: { 200: { description: 'ok' } } } };

const documentOf = (servers: unknown, paths: object = { '/things': ITEM }): Document =>
  JSON.parse(
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      servers,
      security: [],
      paths,
    }),
  );

const answer = async () => ({ status: 200, body: undefined });
const HANDLERS: TestHandlers = { getThing: answer };

/** Which of these paths a service has. */
const servedOf = async (document: Document, paths: readonly string[], handlers = HANDLERS) => {
  const { url, close } = await serveDocument({ document, handlers });
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(url + path)).status));
  await close();
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
  expect(await servedOf(documentOf(servers), PROBES)).toEqual([path]);
});

/** Servers at every level; the last paths inherit from the nearest that has any. */
const LEVELS = documentOf([{ url: '/v1' }], {
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
  expect(await servedOf(withBasePath(documentOf([{ url: '/v1' }]), '/'), PROBES)).toEqual(['/things']);
});

test('a 404 beside the base paths names them', async () => {
  const { url, close } = await serveDocument({ document: LEVELS, handlers: LEVEL_HANDLERS });
  const messageAt = async (path: string): Promise<unknown> => {
    const body: unknown = await (await fetch(url + path)).json();
    return ownMember(body, 'message');
  };
  expect(await Promise.all(['/of-document', '/v1x', '/v1/nothing', '/v2'].map(messageAt))).toEqual([
    'there is nothing at /of-document; the operations are below /v1 or /v2 or /v3',
    'there is nothing at /v1x; the operations are below /v1 or /v2 or /v3',
    'there is nothing at /v1/nothing',
    'there is nothing at /v2',
  ]);
  await close();
  const { app } = await createDocumentApp({ document: documentOf([{ url: '/v1' }]), handlers: HANDLERS });
  const mounted = await serve(express().use('/garden', app));
  expect(await (await fetch(`${mounted}/garden/things`)).json()).toMatchObject({
    message: 'there is nothing at /garden/things; the operations are below /garden/v1',
  });
});

test('a path may be served at several places, with different methods at each', async () => {
  const { url, close } = await serveDocument({ document: LEVELS, handlers: LEVEL_HANDLERS });
  const allowed = async (path: string) =>
    (await fetch(url + path, { method: 'OPTIONS' })).headers.get('allow');
  expect(await allowed('/v2/of-operation')).toBe('POST, OPTIONS');
  expect(await allowed('/v3/of-operation')).toBe('GET, HEAD, OPTIONS');
  await close();
});

const urlsIn = (text: string): string[] =>
  [...text.matchAll(/url"?: ?"?([^"\n]*)/g)].map(([, url = '']) => url);

test('the published contract gives the places of the operations, and is itself served at the root', async () => {
  const { url, close } = await serveDocument({
    document: LEVELS,
    handlers: LEVEL_HANDLERS,
  });
  for (const file of ['/openapi.json', '/openapi.yaml']) {
    const paths = ['/v1', '/v2', '/v2', '/v3'];
    expect(urlsIn(await (await fetch(url + file)).text())).toEqual(paths.map((path) => `.${path}`));
  }
  for (const path of ['/docs', '/healthz', '/readyz', '/metrics'])
    expect((await fetch(url + path)).status).toBe(200);
  expect((await fetch(`${url}/v1/healthz`)).status).toBe(404);
  await close();
});

test('mounted in another app, the base path comes after the mount path', async () => {
  const { app } = await createDocumentApp({ document: documentOf([{ url: '/v1' }]), handlers: HANDLERS });
  const url = await serve(express().use('/garden', app));
  expect((await fetch(`${url}/garden/v1/things`)).status).toBe(200);
  expect((await fetch(`${url}/v1/garden/things`)).status).toBe(404);
  const shown = await (await fetch(`${url}/garden/openapi.json`)).text();
  expect(new URL(`${urlsIn(shown)[0]}/things`, `${url}/garden/openapi.json`).href).toBe(
    `${url}/garden/v1/things`,
  );
});

test('a path item with several references has its servers at each reference', async () => {
  const document = documentOf([{ url: '/v1' }], {
    '/one': { $ref: '#/components/pathItems/Shared' },
    '/two': { get: { ...ITEM.get, operationId: 'two' } },
  });
  const shared = { servers: [{ url: 'https://a.example/v2' }], ...ITEM };
  Object.assign(document, { components: { pathItems: { Shared: shared } } });
  const handlers = { ...HANDLERS, two: answer };
  const paths = ['/v1/one', '/v2/one', '/v1/two', '/v2/two'];
  expect(await servedOf(document, paths, handlers)).toEqual(['/v2/one', '/v1/two']);
  const { url, close } = await serveDocument({ document, handlers });
  expect(urlsIn(await (await fetch(`${url}/openapi.json`)).text())).toEqual(['./v1', './v2']);
  await close();
});
