import { createContract, stub } from '@trellis/contract';
import { documentOf } from '../support/documents.ts';
import { receiverFor } from '../support/operation.ts';
import { FORM, inParts } from '../support/parts.ts';

test.each([
  ['application/json', 'application/json'],
  ['application/json', 'Application/JSON; charset="UTF-8"'],
  ['application/json', 'application/json;profile="https://example.com/thing"; q=1; charset=utf-8'],
  ['application/json', `application/json; x=${'y'.repeat(14_000)}`],
  ['application/vnd.thing+json', 'application/vnd.thing+json'],
  ['application/*', 'application/json'],
  ['*/*', 'application/problem+json'],
  ['application/*+json', 'application/vnd.a+json'],
  ['application/*+JSON', 'Application/Vnd.A+Json; charset=utf-8'],
])('where %s is declared, %s is JSON', async (declared, sent) => {
  const receive = await receiverFor({ [declared]: { schema: FORM } });
  expect(await receive(sent, '{"name":"a","size":9007199254740993}')).toEqual({
    name: 'a',
    size: 9007199254740993n,
  });
  await expect(receive(sent, '{}')).rejects.toThrow('body.name is required');
});

test.each([
  ...['', 'text/plain', 'application/json; charset=latin1', 'application/xml', 'nonsense', '/'],
  ...['application/jsonp', 'application/vnd.api+json', 'application/json; charset=utf-16'],
  ...['application/json, text/plain', 'application/x-www-form-urlencoded'],
])('a Content-Type of "%s" is 415 where it is not declared', async (sent) => {
  const receive = await receiverFor({ 'application/json': { schema: {} } });
  await expect(receive(sent, '{}')).rejects.toMatchObject({
    status: 415,
    message: 'send Content-Type: application/json, in UTF-8',
  });
});

test.each<[what: string, sent: string, expected: object]>([
  ['spaces and tabs', `application/json;x=y${' \t'.repeat(7000)}z`, {}],
  ['spaces before more', `application/json${' '.repeat(14_000)}x`, { status: 415 }],
])('a Content-Type with thousands of %s is parsed without blocking', async (_what, sent, expected) => {
  const receive = await receiverFor({ 'application/json': { schema: {} } });
  const before = process.cpuUsage();
  const outcome = await receive(sent, '{}').catch((error: unknown) => error);
  expect(outcome).toMatchObject(expected);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(400);
});

test.each([
  ['application/*+json', 'application/json', 'application/vnd.example+json or another application/*+json'],
  ['application/*+json', 'application/+json', 'application/vnd.example+json or another application/*+json'],
  ['application/*+json', 'text/vnd.a+json', 'application/vnd.example+json or another application/*+json'],
  ['image/*', 'text/plain', 'image/png or another image/*'],
])(
  'where %s is declared, %s is refused with a 415 that names the media types',
  async (declared, sent, names) => {
    const receive = await receiverFor({ [declared]: { schema: {} } });
    await expect(receive(sent, '{}')).rejects.toMatchObject({
      status: 415,
      message: `send Content-Type: ${names}, in UTF-8`,
    });
  },
);

test('the most telling of several declared types is meant', async () => {
  const receive = await receiverFor({
    '*/*': {},
    'text/*': {},
    'text/plain': { schema: { type: 'string', maxLength: 1 } },
    'application/*': { schema: { maxItems: 0 } },
    'application/*+json': { schema: { maxItems: 1 } },
  });
  expect(await receive('application/vnd.a+json', '[1]')).toEqual([1]);
  await expect(receive('application/json', '[1]')).rejects.toThrow('must not have more than 0 items');
  await expect(receive('text/plain', 'ab')).rejects.toThrow('body must not have more than 1 characters');
  expect(await receive('text/html', 'ab')).toBe('ab');
  expect(await receive('image/png', 'ab')).toEqual(Buffer.from('ab'));
});

test('a member called __proto__ is one like any other, and never the way past the schema', async () => {
  const schema = {
    type: 'object',
    required: ['name', 'n'],
    properties: { name: { type: 'string' }, n: { type: 'integer', minimum: 5 } },
    additionalProperties: false,
  };
  const message =
    'body.name is required; body.evil is not allowed; body.__proto__ is not allowed; body.n must be >= 5';
  const receive = await receiverFor({
    'multipart/form-data': { schema },
    'application/x-www-form-urlencoded': { schema },
  });
  const parts = inParts(
    { name: 'n', is: '1' },
    { name: 'evil', is: 'x' },
    { name: '__proto__', is: 'a', filename: 'a.txt' },
  );
  await expect(receive(...parts)).rejects.toThrow(message);
  await expect(receive('application/x-www-form-urlencoded', 'n=1&evil=x&__proto__=a')).rejects.toThrow(
    message,
  );
});

test('a schema does not apply to bytes, which stay unchanged', async () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: {}, b: { type: 'integer', default: 5 } },
  };
  const receive = await receiverFor({ 'application/xml': { schema } });
  const received = await receive('application/xml', '<a/>');
  expect(received).toEqual(Buffer.from('<a/>'));
  expect(received).not.toHaveProperty('b');
});

test('text that is not UTF-8 is refused', async () => {
  const receive = await receiverFor({ 'text/plain': { schema: { type: 'string' } } });
  await expect(receive('text/plain', Buffer.of(0xff))).rejects.toThrow('body is not valid UTF-8');
});

test.each([
  ['text/plain', 'a\0b', 'body must not hold U+0000'],
  ['application/x-www-form-urlencoded', 'name=a%00b', 'body.name must not hold U+0000'],
  ['application/x-www-form-urlencoded', 'name=a&tags=b&tags=%00', 'body.tags[1] must not hold U+0000'],
  ['application/x-www-form-urlencoded', 'name=a&o%00=b', 'a name in body must not hold U+0000'],
  ['application/x-www-form-urlencoded', 'name=%ED%A0%80', 'body is not a valid form'],
])('text that no store can hold is refused in %s: %j', async (mediaType, sent, message) => {
  const receive = await receiverFor({
    'text/plain': { schema: { type: 'string' } },
    'application/x-www-form-urlencoded': { schema: FORM },
  });
  await expect(receive(mediaType, sent)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(message),
  });
});

test('an operation without an operationId has the name of its method and path', async () => {
  const document = await documentOf({ paths: { '/things/{id}/big-parts': { get: {} }, '/': { post: {} } } });
  const handlers = { getThingsByIdBigParts: stub, post: stub };
  await expect(createContract(document, handlers)).resolves.toBeInstanceOf(Function);
});
