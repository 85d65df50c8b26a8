import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { createMemoryStore } from '@trellis/server/http';
import { jsonBody } from '../support/documents.ts';
import { operationServers, type ServeOptions } from '../support/serve.ts';

const serveOperation = operationServers();

const PAYMENT = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'integer', format: 'int64' } },
};
const RESPONSES = Object.fromEntries(
  [200, 201, 404, 503].map((status) => [
    status,
    { description: '', content: { 'application/json': { schema: { type: 'object' } } } },
  ]),
);
const OPERATION = {
  method: 'post',
  parameters: [{ name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string' } }],
  requestBody: jsonBody(PAYMENT),
  responses: { ...RESPONSES, 409: { description: '', content: { 'application/problem+json': {} } } },
  security: [{ bearerAuth: [] }],
  document: { components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } } },
};

const authenticators: ServeOptions['authenticators'] = {
  bearerAuth: { type: 'bearer', authenticate: (token) => ({ name: token, scopes: [] }) },
};

/** Serves payments; `pay` gets the number of times that it was called. */
const serve = async (
  pay: (count: number) => Promise<object> | object,
  options: Pick<ServeOptions, 'idempotency'> = {},
) => {
  let count = 0;
  const handle = async () => {
    count += 1;
    return { status: 201, ...(await pay(count)) };
  };
  const { url } = await serveOperation(OPERATION, handle, { checkReplies: true, authenticators, ...options });
  const send = async (key: string | undefined, body: string = '{"amount": 1}', token = 'alice') => {
    const reply = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
    });
    return { status: reply.status, headers: reply.headers, body: await reply.text() };
  };
  return { send, calls: () => count };
};

test.each(['', ' ', '""'])('an empty key (%j) is refused, wherever keys are kept', async (key) => {
  for (const options of [{}, { idempotency: false } as const]) {
    const { send, calls } = await serve(() => ({ body: {} }), options);
    const { status, body } = await send(key);
    expect([status, JSON.parse(body)]).toMatchObject([
      400,
      { detail: 'header["idempotency-key"] must not be empty' },
    ]);
    expect(calls()).toBe(0);
  }
});

test('a request that is sent again gets the reply of the first, and the handler is not called', async () => {
  const { send, calls } = await serve((count) => ({
    headers: { Location: `/payments/${count}` },
    body: { count },
  }));
  const key = randomUUID();
  const first = await send(key);
  expect([first.status, first.body, first.headers.has('idempotent-replayed')]).toEqual([
    201,
    '{"count":1}',
    false,
  ]);
  const again = await send(key, '{ "amount":1 }'); // the same value
  expect([again.status, again.body, again.headers.get('location')]).toEqual([
    201,
    '{"count":1}',
    '/payments/1',
  ]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(calls()).toBe(1);
  expect((await send(randomUUID())).body).toBe('{"count":2}');
});

test('a key belongs to one caller', async () => {
  const { send } = await serve((count) => ({ body: { count } }));
  expect((await send('same', undefined, 'alice')).body).toBe('{"count":1}');
  expect((await send('same', undefined, 'bob')).body).toBe('{"count":2}');
});

test('the same key with another payload gets 422, to the last digit', async () => {
  const { send, calls } = await serve(() => ({ body: {} }));
  await send('key', '{"amount": 9007199254740993}');
  const other = await send('key', '{"amount": 9007199254740992}');
  expect([other.status, JSON.parse(other.body)]).toMatchObject([422, { code: 42201 }]);
  expect((await send('key', '{"amount": 9007199254740993}')).status).toBe(201);
  expect(calls()).toBe(1);
});

test('a second request while the first is served gets 409, as the contract declares it', async () => {
  const gate = new EventEmitter();
  const reached = once(gate, 'reached');
  const released = once(gate, 'released');
  const { send } = await serve(async () => {
    gate.emit('reached');
    await released;
    return { body: {} };
  });
  const first = send('key');
  await reached;
  const busy = await send('key');
  expect([busy.status, busy.headers.get('content-type'), JSON.parse(busy.body)]).toMatchObject([
    409,
    'application/problem+json',
    { code: 40902 },
  ]);
  expect(busy.headers.get('retry-after')).toBe('1');
  gate.emit('released');
  expect((await first).status).toBe(201);
  expect((await send('key')).status).toBe(201);
});

test('a refusal of the handler is kept; a failure, an error and an invalid request are not', async () => {
  const outcomes = [
    () => ({ status: 404, body: {} }),
    () => ({ status: 503, body: {} }),
    () => {
      throw new Error('the database is away');
    },
    () => ({ body: {} }),
  ];
  const { send, calls } = await serve((count) => outcomes[count - 1]?.() ?? {});
  expect([(await send('one')).status, (await send('one')).status]).toEqual([404, 404]);
  expect(calls()).toBe(1);
  expect((await send('two', '{}')).status).toBe(400);
  expect([(await send('two')).status, (await send('two')).status]).toEqual([503, 500]);
  expect([(await send('two')).status, (await send('two')).status]).toEqual([201, 201]);
  expect(calls()).toBe(4);
});

test('a missing key gets 400 where the contract requires it', async () => {
  const { send, calls } = await serve(() => ({ body: {} }));
  expect((await send(undefined)).status).toBe(400);
  expect(calls()).toBe(0);
});

test('the owner may leave the key to the handlers', async () => {
  const { send } = await serve((count) => ({ body: { count } }), { idempotency: false });
  await send('key');
  expect((await send('key')).body).toBe('{"count":2}');
});

test('the store in memory drops the oldest replies when it is full, and all after their time', async () => {
  const ask = async (options: Parameters<typeof createMemoryStore>[0], keys: readonly string[]) => {
    const { send } = await serve((count) => ({ body: { count } }), {
      idempotency: createMemoryStore(options),
    });
    const bodies: string[] = [];
    for (const key of keys) bodies.push((await send(key)).body);
    return bodies.map((body) => JSON.parse(body).count);
  };
  expect(await ask({ maxBytes: 1500 }, ['a', 'b', 'b', 'c', 'b', 'a'])).toEqual([1, 2, 2, 3, 2, 4]);
  expect(await ask({ maxAge: 0 }, ['a', 'a'])).toEqual([1, 2]);
});
