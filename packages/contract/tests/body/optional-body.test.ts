import { head, parseReply } from '../../../../tests/support/raw-http.ts';
import { documentFactory } from '../things.ts';

const { answerOf } = documentFactory();

const content = { 'application/json': { schema: { type: 'object' } } };
const responses = { 200: { description: '', content: { 'application/json': { schema: {} } } } };

/** Returns the reply of an operation that replies with the body that its handler got. */
const answerTo = async (required: boolean, fields: readonly string[], bytes: string) => {
  const tell = ({ body }: { body: unknown }) => ({ status: 200, body: { got: body ?? 'nothing' } });
  const asked = head('POST /things', 'Connection: close', ...fields) + bytes;
  const answer = await answerOf('post', { requestBody: { required, content }, responses }, tell, asked);
  const { status, body } = parseReply(answer);
  return { status, body };
};

const CHUNKED = 'Transfer-Encoding: chunked';
const NO_CHUNKS = '0\r\n\r\n';
const CHUNKS = `7\r\n{"a":1}\r\n${NO_CHUNKS}`;
const JSON_TYPE = 'Content-Type: application/json';

test.each<[what: string, fields: string[], bytes: string]>([
  ['no length', [], ''],
  ['length 0', ['Content-Length: 0'], ''],
  ['length 0 and another type', ['Content-Length: 0', 'Content-Type: text/plain'], ''],
  ['no chunks', [CHUNKED], NO_CHUNKS],
  ['no chunks and another type', [CHUNKED, 'Content-Type: text/plain'], NO_CHUNKS],
  ['no chunks and a type that is declared', [CHUNKED, JSON_TYPE], NO_CHUNKS],
])('an optional body with %s counts as missing', async (_what, fields, bytes) => {
  expect(await answerTo(false, fields, bytes)).toEqual({ status: 200, body: { got: 'nothing' } });
});

test('an optional body in chunks is read by its media type, and refused if the type is not declared', async () => {
  expect(await answerTo(false, [CHUNKED, JSON_TYPE], CHUNKS)).toEqual({
    status: 200,
    body: { got: { a: 1 } },
  });
  expect(await answerTo(false, [CHUNKED], CHUNKS)).toMatchObject({ status: 415, body: { error: 41501 } });
  const other = [CHUNKED, 'Content-Type: text/plain'];
  expect(await answerTo(false, other, CHUNKS)).toMatchObject({ status: 415, body: { error: 41501 } });
});

test('a required body of a wrong type is refused before any of it is read', async () => {
  expect(await answerTo(true, [CHUNKED], '')).toMatchObject({ status: 415 });
  expect(await answerTo(true, ['Content-Length: 7'], '')).toMatchObject({ status: 415 });
});
