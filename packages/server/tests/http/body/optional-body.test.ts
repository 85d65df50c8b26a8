import { exchange, head, parseReply } from '../../../../../tests/support/raw-http.ts';
import { newDocument } from '../../support/documents.ts';
import { serveDocument } from '../../support/serve.ts';

const content = { 'application/json': { schema: { type: 'object' } } };
const responses = { 200: { description: '', content: { 'application/json': { schema: {} } } } };

test.each<[what: string, fields: string[], bytes: string]>([
  ['no length', [], ''],
  ['length 0', ['Content-Length: 0'], ''],
  ['length 0 and another type', ['Content-Length: 0', 'Content-Type: text/plain'], ''],
  ['no chunks', ['Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ['no chunks and another type', ['Transfer-Encoding: chunked', 'Content-Type: text/plain'], '0\r\n\r\n'],
])('an optional body with %s counts as missing', async (_what, fields, bytes) => {
  const post = { operationId: 'tell', requestBody: { content }, responses };
  const { port, close } = await serveDocument({
    document: await newDocument({ paths: { '/things': { post } } }),
    handlers: {
      tell: async ({ body }: { body: unknown }) => ({ status: 200, body: { got: body ?? 'nothing' } }),
    },
  });
  const answer = await exchange(port, head('POST /things', 'Connection: close', ...fields) + bytes);
  await close();
  expect(parseReply(answer)).toMatchObject({ status: 200, body: { got: 'nothing' } });
});
