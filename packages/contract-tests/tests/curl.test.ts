import { execFile } from 'node:child_process';
import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createContract } from '../src/document/contract.ts';
import { operationsOf } from '../src/document/operations.ts';

import { shellVariable } from '../src/exchange/credentials.ts';
import { createTell, toCurl, toScript } from '../src/exchange/failure.ts';
import type { WireRequest } from '../src/requests/call.ts';
import { serve } from './serve.ts';
import { sourcesOf } from './sources.ts';

const contract = createContract(
  sourcesOf({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': {
        get: { parameters: [{ name: 'X-Tenant', in: 'header', schema: { type: 'string' } }], responses: {} },
      },
    },
  }),
);

interface Seen {
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let last: Seen | undefined;
const { url, close } = await serve(async (request, response) => {
  const { method, url: target, headers } = request;
  last = { method, target, headers, body: await buffer(request) };
  response.end();
});
afterAll(close);

/** The request that a server receives from a line in a shell. */
const paste = async (request: Partial<WireRequest>, environment: Record<string, string> = {}) => {
  const line = toCurl(url, { method: 'POST', target: '/', headers: [], body: undefined, ...request });
  await promisify(execFile)('sh', ['-c', line], { env: { PATH: process.env.PATH, ...environment } });
  return { line, ...last };
};

test.each([
  ['nothing', ''],
  ['quotes of both kinds', `{"a":"it's \\"quoted\\""}`],
  ['special characters of a shell', '$HOME `id` $(id) !! \\ * ~ & | ; < > #'],
  ['several lines', 'one\ntwo\n'],
  ['what no terminal shows', '\u0000\u0001\u0007\u001b[31m\u007f\u0085\u2028\ufeff%s\\n'],
  ['text beyond the basic plane', 'né 🌱\u{10ffff}'],
  ['a leading at sign', '@/etc/passwd'],
])('a body with %s arrives byte by byte', async (_what, text) => {
  const headers = [['Content-Type', 'application/json']] as const;
  const { method, body, headers: sent } = await paste({ headers, body: Buffer.from(text) });
  expect([method, body?.toString('utf8'), sent?.['content-type']]).toEqual([
    'POST',
    text,
    'application/json',
  ]);
});

test('bytes that are not text arrive unchanged', async () => {
  const body = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect((await paste({ body })).body).toEqual(body);
});

test('a body without a media type is sent without one', async () => {
  expect((await paste({ body: Buffer.from('a') })).headers?.['content-type']).toBeUndefined();
});

test('a target with brackets, ampersands and quotes arrives unchanged', async () => {
  const target = "/a'b/%20?q%5Bx%5D=1&r=(2)*";
  expect((await paste({ method: 'GET', target })).target).toBe(target);
});

test('a target with names in brackets arrives unchanged', async () => {
  const target = '/?filter[range][from]=1&expand[0]=x';
  expect((await paste({ method: 'GET', target })).target).toBe(target);
});

test('a header without a value arrives', async () => {
  const { headers } = await paste({ headers: [['X-Key', '']] });
  expect(headers?.['x-key']).toBe('');
});

test('a header of a request overrides a header for all requests', () => {
  const [operation] = operationsOf(contract);
  const parameter = operation?.parameters[0];
  if (!operation || !parameter) throw new Error('there is no operation with a parameter');
  const call = { operation, parameters: new Map([[parameter, 'own']]), body: undefined, credentials: [] };
  const [line] = toScript('http://a', [{ call, reply: undefined }], [['x-tenant', 'given']]);
  expect(line).toBe("curl -i -X GET http://a/things -H 'X-Tenant: own'");
});

test('secrets are variables, wherever they are', async () => {
  const { line, headers, target } = await paste(
    {
      target: `/?a="1"&key=${shellVariable('KEY')}`,
      headers: [
        ['Authorization', `Bearer ${shellVariable('TOKEN')}`],
        ['Cookie', `a="b"; c=${shellVariable('C')}`],
      ],
    },
    { TOKEN: 't k', KEY: 'k', C: 'c' },
  );
  expect(line).toContain('-H "Authorization: Bearer $TOKEN"');
  expect([headers?.authorization, headers?.cookie, target]).toEqual([
    'Bearer t k',
    'a="b"; c=c',
    '/?a="1"&key=k',
  ]);
});

test('a name and a password are left to curl', async () => {
  const headers = [['Authorization', `Basic ${shellVariable('BASIC')}`]] as const;
  const { line, headers: sent } = await paste({ headers }, { BASIC: 'ada:a b' });
  expect(line).toContain('-u "$BASIC"');
  expect(sent?.authorization).toBe(`Basic ${Buffer.from('ada:a b').toString('base64')}`);
});

test.each([
  ['POST', '0'],
  ['PUT', '0'],
  ['PATCH', '0'],
  ['GET', undefined],
  ['DELETE', undefined],
])('a %s without a body prints the length that was sent: %s', async (method, length) => {
  const { headers } = await paste({ method });
  expect([headers?.['content-length'], headers?.['transfer-encoding']]).toEqual([length, undefined]);
});

test('replies in a sequence are printed as comments, line by line', () => {
  const [operation] = operationsOf(contract);
  if (!operation) throw new Error('the contract has one operation');
  const call = { operation, parameters: new Map(), body: undefined, credentials: [] };
  const exchange = { call, reply: { status: 201, headers: {}, body: Buffer.from('a\u2028b\nc') } };
  const breach = { what: 'wrong', at: operation.at };
  const text = createTell(contract, url)({ name: '', exchanges: [exchange, exchange], breach });
  expect(text).toContain('\n  # a\u2028b\n# c\n');
});
