import { read } from '@trellis/test-support/pages';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { complaintsOf, expectedOf } from '../../create/tests/types/compiler.ts';
import { generateIn } from './generate.ts';

const makeFolder = temporaryFolders();

/** Lines that must not compile are marked with `error`; all other lines must compile. */
const CALLS = `
import { createReadStream } from 'node:fs';
import { type ClientReply, fetchWithProgress, reconnect, retries } from '@trellis/client';
import { type Contract, createClient, createClientOf, createThing, reportsListAll } from '../../generated/client.ts';
const client = createClient({ url: 'http://127.0.0.1:3000', token: 's3cret' });
const thing = { id: 9007199254740993n, name: 'Lamp' };

await client.createThing({ body: thing });
await client.createThing({ body: { ...thing, state: 'old', secret: 'x' } });
await client.createThing({ body: { ...thing, id: 41 } }); // error: an int64 is no number
await client.createThing({ body: { ...thing, made: '2026-03-01' } }); // error: a readOnly member is not sent
await client.createThing({ body: { ...thing, state: 'odd' } }); // error: no value of the enum
await client.createThing({ body: { id: 1n } }); // error: a required member is missing
await client.createThing(); // error: a required body is missing

const made = await client.createThing({ body: thing });
if (made.status === 201) {
  const id: bigint = made.body.id;
  const day: string = made.body.made;
  const state: 'new' | 'old' | undefined = made.body.state;
  const deep: bigint | undefined = made.body.parts?.[0]?.parent?.id;
  void made.body.secret; // error: a writeOnly member is not answered
  void [id, day, state, deep];
}
if (made.status === 409) {
  const title: string = made.body.title;
  const type: 'application/problem+json' = made.mediaType;
  void [title, type];
}
if (made.status === 422) void made.body.message; // 4XX
if (made.status === 500) void made.body.toUpperCase(); // the default
if (made.status === 201) void made.body.message; // error: the body of another status
void (made.status === 600); // error: no status of HTTP

await client.listThings();
await client.listThings({ query: { after: 1n, filter: { size: 2 } }, header: { 'X-Trace': [1] }, signal: AbortSignal.timeout(1) });
await client.listThings({ query: { limit: '3' } }); // error: no integer
await client.listThings({ header: { Accept: 'text/html' } }); // error: no parameter
await client.getThing({ path: { id: 1n } });
await client.getThing({ path: {} }); // error: a parameter of the path is missing
await client.getThing(); // error: a parameter of the path is missing

const head = await client.headThing({ path: { id: 1n } });
const none: undefined = head.body;
const reports = await client['reports/list-all']();
if (reports.status === 200)
  for (const report of reports.body) {
    if ('last' in report && report.last !== undefined) void (report.last + 1n);
    if (report.kind === 'total') void (report.value + 1n);
    else void (report.value + 0.5);
  }

await client.sendBody();
await client.sendBody({ body: { any: 'thing' } });
await client.sendBody({ body: 'text', mediaType: 'text/plain' });
await client.sendBody({ body: new Uint8Array(1), mediaType: 'image/png' });
await client.sendBody({ body: { any: 'thing' }, mediaType: 'application/vnd.a+json' });
await client.sendBody({ body: new Uint8Array(1), mediaType: 'application/vnd.a+json' }); // error: JSON, not bytes
await client.sendBody({ body: { file: new Blob([]), title: 'x' }, mediaType: 'multipart/form-data' });
await client.sendBody({ body: { title: 'x' }, mediaType: 'multipart/form-data' }); // error: the file is missing
await client.sendBody({ body: 'text', mediaType: 'text/html' }); // error: a media type that is not declared

const got = await client.download({ query: { as: 'text/csv' } });
if (got.status === 200 && got.mediaType === 'text/csv') void got.body.toUpperCase();
if (got.status === 200 && got.mediaType === 'application/octet-stream') void got.body.byteLength;

const sales = await client.watchSales({ signal: AbortSignal.timeout(1) });
if (sales.status === 200)
  for await (const { event, data, id } of sales.body) {
    if (event === 'sold') void (data.id + 1n);
    else void data.toUpperCase();
    void id?.length;
    void (event === 'lost'); // error: no event of the contract
  }
const raw = await client.watchRaw({ timeout: 10, retry: retries() });
if (raw.status === 200) for await (const { data } of raw.body) void data.toUpperCase();
const lines = await client.listLines();
if (lines.status === 200) for await (const sale of lines.body) void (sale.id + 1n);
const records = await client.listRecords();
if (records.status === 200) for await (const sale of records.body) void sale.price?.length; // error: no int64
const complete = await client.complete({ body: {} });
if (complete.status === 200 && complete.mediaType === 'text/event-stream')
  for await (const { data } of complete.body) void (data.id + 1n);
const streamed = await client.download({ query: { as: 'text/csv' }, stream: true });
if (streamed.status === 200 && streamed.mediaType !== 'application/json') void streamed.body.getReader();
if (streamed.status === 200 && streamed.mediaType === 'application/json') void streamed.body.size;
if (got.status === 200 && got.mediaType === 'text/csv') void got.body.getReader(); // error: no stream was requested
await client.sendBody({ body: createReadStream('x'), mediaType: 'image/png', fetch: fetchWithProgress((sent) => void sent) });
await client.sendBody({ body: new ReadableStream<Uint8Array>(), mediaType: 'text/plain' });
await client.sendBody({ body: createReadStream('x'), mediaType: 'multipart/form-data' }); // error: a form is no stream
await client.listThings({ timeout: '1s' }); // error: no number
for await (const { data } of reconnect(async (again) => {
  const reply = await client.watchRaw(again);
  return reply.status === 200 ? reply.body : undefined;
}, { limit: 3 }))
  void data.toUpperCase();

const small = createClientOf([createThing, reportsListAll], { url: '' });
await small.createThing({ body: thing });
await small['reports/list-all']();
await small.getThing({ path: { id: 1n } }); // error: an operation that it was not made of
await client.createThings(); // error: an operation that the contract does not have
export const reply: ClientReply<Contract, 'deleteThing'> | undefined = none;
`;

/** The samples of the page that fit the contract of these tests, as one module. */
const samplesOf = (page: string): string => {
  const samples = [...read(page).matchAll(/```ts\n([\s\S]*?)```/g)]
    .map(([, sample = '']) => sample)
    .filter((sample) => /watchSales|sendBody/.test(sample));
  expect(samples).toHaveLength(3);
  const imports = new Set(samples.flatMap((sample) => sample.match(/^import .*$/gm) ?? []));
  const blocks = samples.map((sample) => `{${sample.replaceAll(/^import .*$/gm, '')}}`);
  return [...imports, ...blocks].join('\n').replaceAll("'../generated", "'../../generated");
};

test('requests and replies have the types that the contract gives them on the side of a client', async () => {
  const { types, client } = await generateIn(await makeFolder());
  const expected = expectedOf(CALLS);
  expect(expected).toHaveLength(22);
  expect(complaintsOf(types, CALLS, client)).toEqual(expected);
  expect(complaintsOf(types, samplesOf('docs/reference/client.md'), client)).toEqual([]);
}, 240_000);
