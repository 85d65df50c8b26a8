import { parseCases } from '../../src/cases/read.ts';
import { createReplay } from '../../src/cases/replay.ts';
import { saveCases } from '../../src/cases/save.ts';
import { createContract } from '../../src/document/contract.ts';
import { operationsOf } from '../../src/document/operations.ts';
import { sourcesOf } from '../../src/document/sources.ts';
import { createTell, type Failure } from '../../src/exchange/failure.ts';
import { linkRequests } from '../../src/exchange/linked-requests.ts';
import { createTransport } from '../../src/exchange/transport.ts';
import type { Draft, Reply } from '../../src/requests/draft.ts';
import type { Probe } from '../../src/requests/probe.ts';
import { serve } from '../serve.ts';

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

/** A service that counts its things from a number. */
const start = async (first: number, isBroken: boolean, end = '') => {
  const targets: string[] = [];
  const service = await serve((request, response) => {
    targets.push(`${request.method} ${request.url}`);
    const status = request.method === 'POST' ? 201 : isBroken ? 500 : 204;
    response.writeHead(status, status === 201 ? { Location: `/things/${first}${end}` } : {}).end();
  });
  return { ...service, targets };
};

/** The file of a failure: a thing was created as 41, and to read it failed. */
const saved = (() => {
  if (!create || !read) throw new Error('the contract has two operations');
  const [id] = read.parameters;
  const draft: Draft = {
    operation: read,
    parameters: id ? new Map([[id, 41]]) : new Map(),
    body: undefined,
    credentials: [],
  };
  const created: Reply = { status: 201, headers: { location: '/things/41' }, body: Buffer.of() };
  const probe: Probe = {
    name: 'valid request',
    kind: 'valid',
    draft,
    refusal: undefined,
    named: '',
    at: () => read.at,
  };
  const failure: Failure = {
    name: 'valid request',
    exchanges: [
      {
        draft: { ...draft, operation: create, parameters: new Map() },
        reply: created,
        made: { shape: '/things/{}', text: '41', path: undefined },
      },
      { draft, reply: { status: 500, headers: {}, body: Buffer.of() } },
    ],
    breach: { what: 'status 500: the service failed', at: read.at },
    probe,
  };
  const outcome = { failures: [failure], notes: [] };
  const counts = { requests: 2, accepted: 1, refused: 0 };
  const subject = { title: 'read', operations: [read], run: async () => outcome };
  const phase = { name: 'valid', promise: '', subjects: [subject] };
  const results = {
    phases: [{ phase, subjects: [{ subject, outcome, counts, milliseconds: 1 }] }],
    notes: [],
    end: undefined,
  };
  return parseCases(saveCases(results, { seed: 41, requests: 10 }, () => 'read: valid request'));
})();

test('a saved sequence names what the service made by the reply that told it', () => {
  expect(saved.cases[0]?.requests).toMatchObject([
    { method: 'POST', target: '/things', gives: [{ name: '1', pointer: null }] },
    { method: 'GET', target: `/things/$\{made:1}`, gives: [] },
  ]);
});

test('a thing and its part may have the same id, and a body may repeat it', () => {
  if (!create || !add || !change) throw new Error('the contract has these operations');
  const bytes = Buffer.from('{"id":1,"size":1}');
  const exchange = (operation: typeof create, shape?: string) => ({
    draft: {
      operation,
      parameters: new Map(operation.parameters.map((each) => [each, 1])),
      body: operation === change ? { contentType: 'application/json', bytes } : undefined,
      credentials: [],
    },
    reply: undefined,
    made: shape === undefined ? undefined : { shape, text: '1', path: ['id'] },
  });
  const exchanges = [exchange(create, '/things/{}'), exchange(add, '/things/{}/parts/{}'), exchange(change)];
  const linked = linkRequests(
    exchanges,
    (name) => `<${name}>`,
    () => true,
  );
  expect(linked.map(({ wire }) => wire.target)).toEqual([
    '/things',
    '/things/<1>/parts',
    '/things/<1>/parts/<2>',
  ]);
  expect(linked.map(({ gives }) => gives?.name)).toEqual(['1', '2', undefined]);
  expect(String(linked[2]?.wire.body)).toBe('{"id":<2>,"size":1}');
});

test('the replies to a sequence are comments as they came, line by line', () => {
  if (!create) throw new Error('the contract has this operation');
  const draft: Draft = { operation: create, parameters: new Map(), body: undefined, credentials: [] };
  const exchange = { draft, reply: { status: 201, headers: {}, body: Buffer.from('a\u2028b\nc') } };
  const breach = { what: 'wrong', at: create.at };
  const told = createTell(contract, 'http://service')({ name: '', exchanges: [exchange, exchange], breach });
  expect(told).toContain('\n  # a\u2028b\n# c\n');
});

test.each([
  ['fails', true, ''],
  ['fixed', false, ''],
  ['fixed', false, '/'],
])('sent again, with the id that the service makes now, it %s', async (state, isBroken, end) => {
  const { url, targets, close } = await start(100, isBroken, end);
  const transport = createTransport(url);
  const replay = createReplay({ contract, transport, credentials: {} }, saved);
  const replayed = saved.cases[0] && (await replay(saved.cases[0]));
  transport.close();
  await close();
  expect(replayed?.state).toBe(state);
  expect(targets).toEqual(['POST /things', 'GET /things/100']);
});
