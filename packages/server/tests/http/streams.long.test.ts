import { operationServers } from '../support/serve.ts';

const serve = operationServers();

test('a silent event stream sends a comment from time to time, so that proxies keep it open', async () => {
  const content = { 'text/event-stream': { schema: { type: 'string' } } };
  const watch = async function* () {
    await new Promise(() => {});
    yield '';
  };
  const { url } = await serve({ responses: { 200: { description: '', content } } }, async () => ({
    status: 200,
    body: watch(),
  }));
  const reader = (await fetch(url)).body?.getReader();
  for (let comments = 0; comments < 2; comments += 1)
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(':\n\n');
}, 60_000);
