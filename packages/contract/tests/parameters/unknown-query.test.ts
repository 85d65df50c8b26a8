import { documentOf } from '../support/documents.ts';
import { read, serve } from '../support/serve.ts';

const object = (members: object) => ({ type: 'object', ...members });
const COLOUR = { properties: { red: { type: 'integer' } } };
const query = (name: string, schema: object, more: object = {}) => ({ in: 'query', name, schema, ...more });
const OPERATIONS: Readonly<Record<string, readonly object[]>> = {
  none: [],
  plain: [query('limit', { type: 'integer' }), query('tags', { type: 'array', items: {} })],
  spread: [query('colour', object(COLOUR))],
  open: [query('colour', object({ ...COLOUR, additionalProperties: { type: 'integer' } }))],
  closed: [query('colour', object({ ...COLOUR, additionalProperties: false }))],
  deep: [query('filter', object({}), { style: 'deepObject' })],
  joined: [query('colour', object(COLOUR), { explode: false })],
  json: [{ in: 'query', name: 'where', content: { 'application/json': { schema: {} } } }],
  jsonOfOthers: [
    {
      in: 'query',
      name: 'where',
      content: { 'application/json': { schema: object({ additionalProperties: true }) } },
    },
  ],
};

const paths = Object.entries(OPERATIONS).map(([id, parameters]) => [
  `/${id}`,
  { get: { operationId: id, parameters, responses: { 204: { description: '' } } } },
]);
const { send } = await serve(
  await documentOf({
    paths: Object.fromEntries(paths),
    components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api_key' } } },
    security: [{}, { key: [] }],
  }),
  Object.fromEntries(Object.keys(OPERATIONS).map((id) => [id, async () => ({ status: 204 })])),
  {
    authenticators: { key: { type: 'apiKey', authenticate: (name) => ({ name, scopes: [] }) } },
    unknownQuery: 'refuse',
  },
);

test.each([
  '/none',
  '/none?',
  '/none?&',
  '/none?api_key=1',
  '/plain?limit=1&tags=a&tags=b&api_key=1',
  '/plain?tags[]=a&tags[]=b',
  '/plain?l%69mit=1',
  '/spread?red=1',
  '/open?red=1&blue=2',
  '/closed?red=1',
  '/closed?blue=1',
  '/deep?filter[a]=1&filter[b]=2',
  '/joined?colour=red,1',
  '/json?where=%7B%7D',
])('%s has only declared parameters', async (path) => {
  expect((await send(path)).status).toBe(204);
});

test.each([
  ['/none?x', 'query.x is not a parameter of this operation'],
  ['/jsonOfOthers?x=1', 'query.x is not a parameter of this operation'],
  ['/plain?limt=1', 'query.limt is not a parameter of this operation'],
  ['/plain?limit[a]=1', 'query["limit[a]"] is not a parameter of this operation'],
  ['/plain?Limit=1', 'query.Limit is not a parameter of this operation'],
  ['/plain?api-key=1', 'query["api-key"] is not a parameter of this operation'],
  ['/joined?red=1', 'query.red is not a parameter of this operation'],
  ['/plain?a&limit=x', 'query.a is not a parameter of this operation; query.limit must be an integer'],
])('%s is refused: %s', async (path, message) => {
  expect(await read(send(path))).toMatchObject({
    status: 400,
    body: { error: 40002, message },
  });
});

test('thousands of unknown names are refused in a short message, and soon', async () => {
  const names = Array.from({ length: 1500 }, (_, nth) => `limit${nth}`).join('&');
  const before = performance.now();
  const { status, body } = await read(send(`/plain?${names}`));
  expect(status).toBe(400);
  expect(JSON.stringify(body).length).toBeLessThan(3000);
  expect(performance.now() - before).toBeLessThan(1000);
});
