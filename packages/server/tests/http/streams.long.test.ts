import { newDocument } from '../support/documents.ts';
import { serveDocument } from '../support/serve.ts';

test('a silent event stream sends a comment from time to time, so that proxies keep it open', async () => {
  const content = { 'text/event-stream': { schema: { type: 'string' } } };
  const responses = { 200: { description: '', content } };
  const watch = async function* () {
    await new Promise(() => {});
    yield '';
  };
  const { url, close } = await serveDocument({
    document: await newDocument({ paths: { '/events': { get: { operationId: 'watch', responses } } } }),
    handlers: { watch: async () => ({ status: 200, body: watch() }) },
  });
  const reader = (await fetch(`${url}/events`)).body?.getReader();
  for (let comments = 0; comments < 2; comments += 1)
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(':\n\n');
  await close();
}, 60_000);
