import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../run.ts';
import { serve } from '../serve.ts';

const THING = { type: 'object', properties: { name: { type: 'string' } } };

test.each([
  ['in the same file', THING],
  ['in a second file', { $ref: 'thing.json' }],
])('an undeclared path parameter is a text, with a schema %s', async (_where, schema) => {
  const folder = await mkdtemp(join(tmpdir(), 'several-files-'));
  const reply = { description: '', content: { 'application/json': { schema } } };
  const paths = { '/things/{id}': { get: { operationId: 'readThing', responses: { 200: reply } } } };
  const document = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths };
  const spec = join(folder, 'openapi.json');
  await writeFile(spec, JSON.stringify(document));
  await writeFile(join(folder, 'thing.json'), JSON.stringify(THING));
  const ids = new Set<string>();
  const { url, close } = await serve((request, response) => {
    const [, id = ''] = /^\/things\/(.+)$/.exec(request.url ?? '') ?? [];
    if (id !== '') ids.add(decodeURIComponent(id));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"name":"a"}');
  });
  expect(await run({ url, spec, requests: 10, phases: ['valid'] })).toMatchObject({ failures: 0 });
  await close();
  await rm(folder, { recursive: true });
  expect(ids.size).toBeGreaterThan(5);
  expect([...ids]).not.toContain('{id}');
});
