import { parseExposition } from '@trellis/test-support/exposition';
import express from 'express';
import { expressServers } from '../support/express.ts';
import { AUTHORIZED, createTestApp, read } from '../support/service.ts';

const serve = expressServers();

const create = (url: string, body: string) =>
  read(fetch(`${url}/things`, { method: 'POST', headers: AUTHORIZED, body }));

test('mounted under a path of another app, the service serves there, errors included', async () => {
  const { app } = await createTestApp();
  const url = await serve(express().use('/garden', app));

  expect(await create(`${url}/garden`, '{"id":1,"name":"Lamp"}')).toEqual({
    status: 200,
    body: { name: 'Lamp' },
  });
  expect(await create(`${url}/garden`, '{"id":1,"name":"Vase"}')).toMatchObject({ status: 409 });
  expect(await create(`${url}/garden`, '{"id":2}')).toEqual({
    status: 400,
    body: { error: 40002, message: 'body.name is required' },
  });
  expect(await read(fetch(`${url}/garden/things?q=1`))).toEqual({
    status: 405,
    body: { error: 40501, message: 'GET is not allowed on /garden/things; use POST' },
  });
  expect(await read(fetch(`${url}/garden/healthz`))).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await read(fetch(`${url}/garden/nothing`))).toEqual({
    status: 404,
    body: { error: 40401, message: 'there is nothing at /garden/nothing' },
  });
});

test('paths outside the mounted service stay with the other app', async () => {
  const { app } = await createTestApp();
  const parent = express();
  parent.use('/garden', app);
  parent.use((_request, response) => void response.status(418).json('mine'));
  expect(await create(await serve(parent), '{"id":1,"name":"Lamp"}')).toEqual({ status: 418, body: 'mine' });
});

test('a request that the service does not serve goes by no route of the other app', async () => {
  const { app, metrics } = await createTestApp();
  const parent = express();
  parent.all('/garden/{*rest}', (_request, _response, next) => next()); // as one that looks who asks
  parent.use('/garden', app);
  const url = await serve(parent);

  await create(`${url}/garden`, '{"id":1,"name":"Lamp"}');
  for (const path of ['things', 'nothing', 'healthz', 'docs']) await fetch(`${url}/garden/${path}`);
  await fetch(`${url}/garden/readyz`, { method: 'PUT' });
  const { samples } = parseExposition((await metrics.render()).text);
  const counted = samples.filter(({ name }) => name === 'http_requests_total');
  expect(counted.map(({ labels }) => `${labels.operation} ${labels.status}`)).toEqual([
    'createThing 200',
    'none 405',
    'none 404',
    '/healthz 200',
    '/docs 200',
    '/readyz 405',
  ]);
});

test('mounted behind a body parser, the service answers 500 and logs what to do about it', async () => {
  const { app, logged } = await createTestApp();
  const url = await serve(express().use(express.json()).use(app));

  expect(await create(url, '{"id":1,"name":"Lamp"}')).toEqual({
    status: 500,
    body: { error: 50001, message: 'internal error' },
  });
  expect(logged).toHaveLength(1);
  expect(logged[0]).toHaveProperty('err.message', expect.stringContaining('before any body parser'));
});

test('a body that has arrived while the other app was busy is read', async () => {
  const { app } = await createTestApp();
  const parent = express();
  parent.use((request, _response, next) => {
    const waitForBody = (): unknown => (request.complete ? next() : setImmediate(waitForBody));
    waitForBody();
  });
  const url = await serve(parent.use(app));

  const name = 'Lamp'.repeat(5000);
  expect(await create(url, `{"id":1,"name":"${name}"}`)).toEqual({ status: 200, body: { name } });
});

test('an app that listens to the bodies gets them as well', async () => {
  const { app } = await createTestApp();
  const heard: string[] = [];
  const parent = express();
  parent.use((request, _response, next) => {
    request.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
    request.on('end', () => heard.push('the end'));
    next();
  });
  const url = await serve(parent.use(app));

  const body = '{"id":1,"name":"Lamp"}';
  expect(await create(url, body)).toEqual({ status: 200, body: { name: 'Lamp' } });
  expect(heard).toEqual([body, 'the end']);
});
