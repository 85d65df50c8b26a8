import { operationsOf } from './from-schema.ts';

const text = { type: 'string' };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });

test('a document without paths has no operations', () => {
  expect(operationsOf({ openapi: '3.1.0' })).toEqual([]);
});

test('operations are found with everything looked up and inherited', () => {
  const operations = operationsOf({
    security: [{ bearerAuth: [] }],
    paths: {
      '/a': { $ref: '#/components/pathItems/A' },
      '/b': { summary: 'not a method', get: { security: [], responses: { default: json(text) } } },
    },
    components: {
      pathItems: {
        A: {
          post: {
            requestBody: { $ref: '#/components/requestBodies/A' },
            responses: { '204': { description: 'Done' }, '401': { $ref: '#/components/responses/Refused' } },
          },
        },
      },
      requestBodies: { A: { required: true, ...json(text) } },
      responses: {
        Refused: {
          headers: { 'WWW-Authenticate': { required: true }, 'X-Other': {} },
          content: { 'application/json': { schema: text, examples: { no: { value: 'no' } } } },
        },
      },
    },
  });
  expect(operations).toEqual([
    {
      title: 'POST /a',
      method: 'POST',
      path: '/a',
      isSecured: true,
      body: { schema: text, isRequired: true, examples: {} },
      responses: new Map([
        ['204', { schema: undefined, requiredHeaders: [], examples: {} }],
        ['401', { schema: text, requiredHeaders: ['WWW-Authenticate'], examples: { no: 'no' } }],
      ]),
    },
    {
      title: 'GET /b',
      method: 'GET',
      path: '/b',
      isSecured: false,
      body: undefined,
      responses: new Map([['default', { schema: text, requiredHeaders: [], examples: {} }]]),
    },
  ]);
});
