import { text } from 'node:stream/consumers';
import { run } from '../run.ts';
import { serve } from '../serve.ts';

const PRICES = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['price'],
    properties: { price: { type: 'string', pattern: '^p\\d$' } },
  },
};
const FILTER = {
  type: 'object',
  required: ['range', 'list'],
  additionalProperties: false,
  properties: {
    range: { type: 'object', required: ['from'], properties: { from: { type: 'integer' } } },
    list: { type: 'array', minItems: 2, items: { enum: ['a', 'b'] } },
  },
};
const deepObject = (name: string, schema: object) => ({
  name,
  in: 'query',
  required: true,
  style: 'deepObject',
  explode: true,
  schema,
});

const spec = {
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths: {
    '/orders': {
      post: {
        operationId: 'order',
        parameters: [
          deepObject('expand', { type: 'array', minItems: 1, items: { enum: ['x', 'y'] } }),
          deepObject('filter', FILTER),
        ],
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', required: ['items'], properties: { items: PRICES } },
              encoding: { items: { style: 'deepObject', explode: true } },
            },
          },
        },
        responses: { 204: { description: '' }, 400: { description: '' }, 415: { description: '' } },
      },
    },
  },
};

/** Runs the contract tests against a service with a status for each request, and tells the names that were sent. */
const check = async (statusOf: (query: URLSearchParams, form: URLSearchParams) => number) => {
  const names = new Set<string>();
  const { url, close } = await serve(async (request, response) => {
    const form = new URLSearchParams(await text(request));
    const { pathname, searchParams } = new URL(`http://orders${request.url}`);
    const isForm = /^application\/x-www-form-urlencoded *(;|$)/i.test(request.headers['content-type'] ?? '');
    if (pathname !== '/orders') return response.writeHead(404).end();
    if (request.method !== 'POST') return response.writeHead(405, { Allow: 'POST' }).end();
    if (!isForm) return response.writeHead(form.size === 0 ? 400 : 415).end();
    for (const name of [...searchParams.keys(), ...form.keys()]) names.add(name);
    response.writeHead(statusOf(searchParams, form)).end();
  });
  const { text: told, failures } = await run({ spec, url, requests: 20 });
  await close();
  return { told, failures, names };
};

/** Whether a request is right, if names in brackets are read as PHP and Rails do. */
const isRight = (query: URLSearchParams, form: URLSearchParams): boolean => {
  const known = /^(?:expand\[\d+\]|filter\[range\](?:\[[\w-]+\])+|filter\[list\]\[\d+\])$/;
  const all = (pattern: RegExp): string[] =>
    [...query].flatMap(([name, value]) => (pattern.test(name) ? [value] : []));
  const expand = all(/^expand\[\d+\]$/);
  const list = all(/^filter\[list\]\[\d+\]$/);
  const numbers = new Set([...form.keys()].flatMap((name) => /^items\[(\d+)\]\[/.exec(name)?.[1] ?? []));
  return (
    [...query.keys()].every((name) => known.test(name) || !/^(?:expand|filter)/.test(name)) &&
    expand.length > 0 &&
    expand.every((each) => /^[xy]$/.test(each)) &&
    list.length > 1 &&
    list.every((each) => /^[ab]$/.test(each)) &&
    /^-?\d+$/.test(query.get('filter[range][from]') ?? '') &&
    numbers.size > 0 &&
    [...form.keys()].every(
      (name) => !name.startsWith('items') || /^items\[\d+\](?:\[[\w-]+\])+$/.test(name),
    ) &&
    [...numbers].every((number) => /^p\d$/.test(form.get(`items[${number}][price]`) ?? ''))
  );
};

test('lists and objects in deepObject are sent under names in brackets, in queries and forms', async () => {
  const { told, failures, names } = await check((query, form) => (isRight(query, form) ? 204 : 400));
  expect([...names]).toEqual(
    expect.arrayContaining([
      'expand[0]',
      'expand[1]',
      'filter[range][from]',
      'filter[list][0]',
      'filter[list][1]',
      'items[0][price]',
      'items[1][price]',
    ]),
  );
  expect(told.match(/^note .*$/gm)).toEqual([
    'note  not checked: stored data, because no operation reads it back: order',
  ]);
  expect(failures).toBe(0);
});

test('a service may refuse such names, with a note, or ignore them', async () => {
  const refusing = await check((query) => ([...query.keys()].length > 0 ? 400 : 204));
  expect(refusing.told).toContain('note  order: refuses some with 400: OpenAPI does not define');
  expect(refusing.told).not.toContain('a valid request was refused');
  const ignoring = await check((query, form) => {
    const names = [...query.keys(), ...form.keys()].map((name) => name.split('[', 1)[0] ?? '');
    const isWhole = ['expand', 'filter', 'items'].every((name) => names.includes(name));
    return isWhole ? 204 : 400;
  });
  expect(ignoring.failures).toBe(0);
});

test('a service that fails on such names is caught', async () => {
  const { told } = await check((_, form) =>
    [...form.keys()].some((each) => each.includes('][')) ? 500 : 400,
  );
  expect(told).toMatch(/order: .*: status 500: the service failed/);
});

test('a service that fails on brackets that no contract declares is caught', async () => {
  const { told } = await check((query, form) => {
    if (query.has('expand[]')) return 500;
    return isRight(query, form) ? 204 : 400;
  });
  expect(told).toContain('order: query.expand as expand[]: status 500: the service failed');
});
