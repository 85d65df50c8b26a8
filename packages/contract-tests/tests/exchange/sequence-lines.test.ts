import { createContract } from '../../src/document/contract.ts';
import { type Operation, operationsOf } from '../../src/document/operations.ts';
import { sourcesOf } from '../../src/document/sources.ts';
import { shellVariable } from '../../src/exchange/credentials.ts';
import { createTell } from '../../src/exchange/failure.ts';
import { linkRequests } from '../../src/exchange/linked-requests.ts';
import type { Call, Exchange } from '../../src/requests/call.ts';

const ID = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const contract = createContract(
  sourcesOf({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': { post: { operationId: 'create', responses: { 201: { description: '' } } } },
      '/things/{id}': {
        get: { operationId: 'read', parameters: [ID], responses: { 204: { description: '' } } },
      },
      '/things/{id}/parts': {
        post: { operationId: 'add', parameters: [ID], responses: { 201: { description: '' } } },
      },
      '/things/{id}/parts/{part}': {
        put: {
          operationId: 'change',
          parameters: [ID, { ...ID, name: 'part' }],
          responses: { 204: { description: '' } },
        },
      },
    },
  }),
);
const [create, read, add, change] = operationsOf(contract);

/** A request about an id, with a reply that contains an id of this shape. */
const exchangeOf = (operation: Operation, id: number, shape?: string, body?: string): Exchange => ({
  call: {
    operation,
    parameters: new Map(operation.parameters.map((each) => [each, id])),
    body: body === undefined ? undefined : { contentType: 'application/json', bytes: Buffer.from(body) },
    credentials: [],
  },
  reply: undefined,
  made: shape === undefined ? undefined : { shape, text: `${id}`, path: ['id'] },
});
const [id, id2] = [shellVariable('ID'), shellVariable('ID2')];

test('a thing and its part may have the same id, and a body may repeat it', () => {
  if (!create || !add || !change) throw new Error('the contract has these operations');
  const exchanges = [
    exchangeOf(create, 1, '/things/{}'),
    exchangeOf(add, 1, '/things/{}/parts/{}'),
    exchangeOf(change, 1, undefined, '{"id":1,"size":1}'),
  ];
  const linked = linkRequests(exchanges, () => true);
  expect(linked.map(({ wire }) => wire.target)).toEqual([
    '/things',
    `/things/${id}/parts`,
    `/things/${id}/parts/${id2}`,
  ]);
  expect(linked.map(({ gives }) => gives)).toEqual(['ID', 'ID2', undefined]);
  expect(String(linked[2]?.wire.body)).toBe(`{"id":${id2},"size":1}`);
});

test('an id that a service gives again has a variable that no other id gets', () => {
  if (!create || !read) throw new Error('the contract has these operations');
  const creates = [41, 41, 42].map((made) => exchangeOf(create, made, '/things/{}'));
  const linked = linkRequests([...creates, exchangeOf(read, 41), exchangeOf(read, 42)], () => true);
  expect(linked.map(({ gives }) => gives)).toEqual([undefined, 'ID2', 'ID3', undefined, undefined]);
  const targets = linked.slice(-2).map(({ wire }) => wire.target);
  expect(targets).toEqual([`/things/${id2}`, `/things/${shellVariable('ID3')}`]);
});

test('the replies to a sequence are comments as they came, line by line', () => {
  if (!create) throw new Error('the contract has this operation');
  const call: Call = { operation: create, parameters: new Map(), body: undefined, credentials: [] };
  const exchange = { call, reply: { status: 201, headers: {}, body: Buffer.from('a\u2028b\nc') } };
  const breach = { what: 'wrong', at: create.at };
  const told = createTell(contract, 'http://service')({ name: '', exchanges: [exchange, exchange], breach });
  expect(told).toContain('\n  # a\u2028b\n# c\n');
});
