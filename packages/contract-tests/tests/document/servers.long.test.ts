import { run } from '../run.ts';
import { serve } from '../serve.ts';

const responses = { 204: { description: 'Done' } };
const DOCUMENT = {
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

/** Starts a service that answers at these paths, and elsewhere with 404. */
const start = (...paths: string[]) =>
  serve(({ url = '', method }, response) => {
    const isKnown = paths.includes(url.split('?', 1).join());
    const isServed = method === 'GET' || method === 'HEAD';
    response.writeHead(isKnown ? (isServed ? 204 : 405) : 404, { allow: 'GET, HEAD' }).end();
  });

test.each(['', '/api', '/api/v1'])(
  'a service is tested where its contract has the operations, by a URL that ends in "%s"',
  async (path) => {
    const { url, close } = await start('/api/v1/things', '/uploads/files', '/v2/logs');
    const { text, failures } = await run({ url: url + path, spec: DOCUMENT, requests: 3 });
    await close();
    expect(failures).toBe(0);
    expect(text.match(/^\| (?:list|files|logs) .* 3 \| +3 \| +0 \| +0 \|$/gm)).toHaveLength(3);
  },
);

test('a service with another base path is tested there', async () => {
  const { url, close } = await start('/v9/things', '/uploads/files', '/v2/logs');
  const options = { spec: DOCUMENT, requests: 3, flags: ['--base-path=/v9'] };
  for (const given of [url, `${url}/v9`])
    expect(await run({ ...options, url: given })).toMatchObject({ failures: 0 });
  const { text } = await run({ url, spec: DOCUMENT, requests: 3 });
  await close();
  expect(text).toContain(`curl -i -X GET ${url}/api/v1/things`);
});

test('the host of a URL is no path', async () => {
  const given = run({ url: 'http://v1.invalid', spec: { ...DOCUMENT, servers: [{ url: '/v1.invalid' }] } });
  await expect(given).rejects.toThrow('no service answers at http://v1.invalid (');
});
