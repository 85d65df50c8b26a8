import type { Document } from 'openapi-backend';
import { withBasePath } from '../../../contract/src/routing/servers.ts';
import { serveDocument } from '../../../server/tests/support/serve.ts';
import { createContract } from '../../src/document/contract.ts';
import { moveTo, rootOf, sourcesOf } from '../../src/document/sources.ts';
import { run } from '../run.ts';

const responses = { 204: { description: 'Done' } };
const DOCUMENT: Document = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'https://{host}/api/{version}', variables: { version: { default: 'v1' } } }],
  security: [],
  paths: {
    '/things': { get: { operationId: 'list', responses } },
    '/files': { servers: [{ url: '/uploads/' }], get: { operationId: 'files', responses } },
    '/logs': { get: { operationId: 'logs', servers: [{ url: 'v2' }], responses } },
  },
};

const done = async () => ({ status: 204, body: undefined });
const handlers = { list: done, files: done, logs: done };

/** Runs the contract tests against a URL, as the command does. */
const runAgainst = async (given: string, sources = sourcesOf(DOCUMENT)) => {
  const contract = createContract(sources);
  const url = rootOf(given, contract.request.view.document);
  return run({ contract, url, requests: 3 });
};

test.each(['', '/api', '/api/v1'])(
  'a service is tested where its contract has the operations, by a URL that ends in "%s"',
  async (path) => {
    const { url, close } = await serveDocument({ document: DOCUMENT, handlers });
    const { text, failures } = await runAgainst(url + path);
    await close();
    expect(failures).toBe(0);
    expect(text.match(/^\| (?:list|files|logs) .* 3 \| +3 \| +0 \| +0 \|$/gm)).toHaveLength(3);
  },
);

test('a service with another base path is tested there', async () => {
  const { url, close } = await serveDocument({ document: withBasePath(DOCUMENT, '/v9'), handlers });
  const moved = moveTo('/v9', sourcesOf(DOCUMENT));
  for (const given of [url, `${url}/v9`])
    expect(await runAgainst(given, moved)).toMatchObject({ failures: 0 });
  const { text } = await runAgainst(url);
  await close();
  expect(text).toContain(`curl -i -X GET ${url}/api/v1/things`);
});

test('the host of a URL is no path', () => {
  expect(rootOf('http://v1', { servers: [{ url: '/v1' }] })).toBe('http://v1');
});
