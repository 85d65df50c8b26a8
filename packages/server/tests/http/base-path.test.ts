import { ownMember } from '@trellis/openapi/internal/json';
import express from 'express';
import type { Document } from 'openapi-backend';
import { expressServers } from '../support/express.ts';
import { createDocumentApp, documentServers, type TestHandlers } from '../support/serve.ts';

const serve = expressServers();
const serveDocument = documentServers();

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

test('a 404 beside the base paths names them', async () => {
  const { url } = await serveDocument({ document: LEVELS, handlers: LEVEL_HANDLERS });
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
  const { app } = await createDocumentApp({ document: documentOf([{ url: '/v1' }]), handlers: HANDLERS });
  const mounted = await serve(express().use('/garden', app));
  expect(await (await fetch(`${mounted}/garden/things`)).json()).toMatchObject({
    message: 'there is nothing at /garden/things; the operations are below /garden/v1',
  });
});

const urlsIn = (text: string): string[] =>
  [...text.matchAll(/url"?: ?"?([^"\n]*)/g)].map(([, url = '']) => url);

test('the published contract gives the places of the operations, and is itself served at the root', async () => {
  const { url } = await serveDocument({ document: LEVELS, handlers: LEVEL_HANDLERS });
  for (const file of ['/openapi.json', '/openapi.yaml']) {
    const paths = ['/v1', '/v2', '/v2', '/v3'];
    expect(urlsIn(await (await fetch(url + file)).text())).toEqual(paths.map((path) => `.${path}`));
  }
  for (const path of ['/docs', '/healthz', '/readyz', '/metrics'])
    expect((await fetch(url + path)).status).toBe(200);
  expect((await fetch(`${url}/v1/healthz`)).status).toBe(404);
});

test('the published contract gives the places of a path item at each of its references', async () => {
  const document = documentOf([{ url: '/v1' }], {
    '/one': { $ref: '#/components/pathItems/Shared' },
    '/two': { get: { ...ITEM.get, operationId: 'two' } },
  });
  const shared = { servers: [{ url: 'https://a.example/v2' }], ...ITEM };
  Object.assign(document, { components: { pathItems: { Shared: shared } } });
  const { url } = await serveDocument({ document, handlers: { ...HANDLERS, two: answer } });
  expect(urlsIn(await (await fetch(`${url}/openapi.json`)).text())).toEqual(['./v1', './v2']);
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
