import { serveOperation } from '../support/operation.ts';
import type { Sent } from '../support/serve.ts';

const content = { 'application/json': { schema: { type: 'object' } } };

/** Sends a body, and returns the body that the handler gets. */
const receivedFor = async (required: boolean, headers: Record<string, string>, body: Sent['body']) => {
  const { receive } = await serveOperation({ requestBody: { required, content } });
  return (await receive('/things', { headers, body })).body;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT = { 'content-type': 'text/plain' };
const CHUNKS = ['{"a"', ':1}'].map((chunk) => Buffer.from(chunk));
const UNSUPPORTED = { status: 415, code: 41501 };

test.each<[what: string, headers: Record<string, string>, body: Sent['body']]>([
  ['no length', {}, undefined],
  ['no chunks', {}, []],
  ['a length of 0 and another type', { ...TEXT, 'content-length': '0' }, []],
  ['no chunks and another type', TEXT, []],
  ['no chunks and a type that is declared', JSON_TYPE, []],
])('an optional body with %s counts as missing', async (_what, headers, body) => {
  expect(await receivedFor(false, headers, body)).toBeUndefined();
});

test('an optional body in chunks is read by its media type, and refused if the type is not declared', async () => {
  expect(await receivedFor(false, JSON_TYPE, CHUNKS)).toEqual({ a: 1 });
  await expect(receivedFor(false, {}, CHUNKS)).rejects.toMatchObject(UNSUPPORTED);
  await expect(receivedFor(false, TEXT, CHUNKS)).rejects.toMatchObject(UNSUPPORTED);
});

test('a required body of a wrong type is refused before any of it is read', async () => {
  const unread = async function* (): AsyncGenerator<Uint8Array> {
    yield await Promise.reject(new Error('it was read'));
  };
  await expect(receivedFor(true, {}, unread())).rejects.toMatchObject(UNSUPPORTED);
  await expect(receivedFor(true, { 'content-length': '7' }, unread())).rejects.toMatchObject(UNSUPPORTED);
});
