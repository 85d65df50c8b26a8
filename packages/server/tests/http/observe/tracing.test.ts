import type { RequestSpan } from '../../../src/http/observe/exchange.ts';
import { operationServers } from '../../support/serve.ts';
import { post, startService } from '../../support/service.ts';
import { createThings } from '../../support/things.ts';

const serve = operationServers();

/** Creates a trace that records its calls; `inside` lists the stages that are running. */
const createTrace = () => {
  const events: string[] = [];
  const inside: string[] = [];
  const during =
    (stage: string) =>
    <T>(work: () => T): T => {
      events.push(stage);
      inside.push(stage);
      try {
        return work();
      } finally {
        inside.pop();
      }
    };
  const span: RequestSpan = {
    traceId: 'a-trace',
    traceparent: 'a-trace-and-a-span',
    matched: (route) => void events.push(`matched ${route}`),
    handle: during('handle'),
    end: (status) => void events.push(`end ${status}`),
  };
  return { events, inside, tracing: { startRequest: () => span } };
};

test('a trace follows a request through its stages, and the handler runs inside it', async () => {
  const { events, inside, tracing } = createTrace();
  const ran: string[][] = [];
  const lines: object[] = [];
  const things = {
    ...createThings(),
    async create() {
      ran.push([...inside]);
      return 'created' as const;
    },
  };
  const service = await startService({ things, tracing, log: { info: (line) => lines.push(line) } });
  const reply = await post(service, '{"id":41,"name":"Lamp"}');
  await service.close();
  expect(events).toEqual(['matched /things', 'handle', 'end 200']);
  expect(ran).toEqual([['handle']]);
  expect(reply.headers.get('traceresponse')).toBe('a-trace-and-a-span');
  expect(lines).toMatchObject([{ status: 200, traceId: 'a-trace' }]);
});

test.each([
  ['that does not fit', '/things', '{}', {}, ['matched /things', 'handle', 'end 400']],
  ['without a token', '/things', '{}', { authorization: '' }, ['matched /things', 'end 401']],
  ['for a path that is not served', '/elsewhere', '{}', {}, ['end 404']],
  ['beside the contract', '/healthz', undefined, {}, ['matched /healthz', 'end 200']],
])('the trace of a request %s ends with its reply', async (_, path, body, headers, expected) => {
  const { events, tracing } = createTrace();
  const service = await startService({ tracing });
  const method = body === undefined ? 'GET' : 'POST';
  const init = {
    method,
    headers: { authorization: 'Bearer a-token-for-tests', 'content-type': 'application/json', ...headers },
  };
  await (await fetch(service.url + path, body === undefined ? init : { ...init, body })).text();
  await service.close();
  expect(events).toEqual(expected);
});

test('a handler can pass the trace on', async () => {
  const { tracing } = createTrace();
  const content = { 'text/plain': { schema: { type: 'string' } } };
  const { url } = await serve(
    { responses: { 200: { description: 'the header', content } } },
    async ({ traceparent }: { traceparent?: string }) => ({ status: 200, body: traceparent }),
    { tracing },
  );
  expect(await (await fetch(url)).text()).toBe('a-trace-and-a-span');
});
