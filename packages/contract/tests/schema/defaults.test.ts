import { int64, ref, when } from '../support/documents.ts';
import { decoderFor } from '../support/operation.ts';

const sized = { type: 'object', properties: { size: { type: 'integer', default: 5 } } };

test.each<[where: string, schema: unknown, sent: string, received: unknown]>([
  ['a member', sized, '{}', { size: 5 }],
  ['a member of a member', { properties: { a: sized } }, '{"a":{}}', { a: { size: 5 } }],
  ['a member of a member that is missing', { properties: { a: sized } }, '{}', {}],
  ['an item', { type: 'array', items: sized }, '[{},{"size":6}]', [{ size: 5 }, { size: 6 }]],
  ['an item of a tuple', { prefixItems: [sized] }, '[{},{}]', [{ size: 5 }, {}]],
  ['a map', { additionalProperties: sized }, '{"a":{}}', { a: { size: 5 } }],
  ['a reference', ref('Sized'), '{}', { size: 5 }],
  ['a member by reference', { properties: { a: ref('Size') } }, '{}', { a: 7 }],
  ['parts', { allOf: [sized, ref('Named')] }, '{}', { size: 5, name: 'n' }],
  ['a part of a member', { properties: { a: { allOf: [ref('Size')] } } }, '{}', { a: 7 }],
  ['the branch that was sent', { oneOf: [{ type: 'null' }, sized] }, '{}', { size: 5 }],
  ['a consequence', when({ required: ['a'] }, sized, ref('Named')), '{"a":1}', { a: 1, size: 5 }],
  [
    'what depends on a member',
    { dependentSchemas: { a: sized, b: ref('Named') } },
    '{"b":1}',
    { b: 1, name: 'n' },
  ],
  ['an int64', { properties: { a: { ...int64, default: 5 } } }, '{}', { a: 5n }],
  ['null', { properties: { a: { type: ['string', 'null'], default: null } } }, '{}', { a: null }],
  [
    'a default that is to be completed',
    { properties: { a: { ...sized, default: {} } } },
    '{}',
    { a: { size: 5 } },
  ],
  [
    'a member called __proto__',
    JSON.parse('{"properties":{"__proto__":{"default":1}}}'),
    '{}',
    JSON.parse('{"__proto__":1}'),
  ],
])('%s has its default if nothing was sent', async (_where, schema, sent, received) => {
  const decode = await decoderFor(schema, {
    Sized: sized,
    Size: { type: 'integer', default: 7 },
    Named: { type: 'object', properties: { name: { type: 'string', default: 'n' } } },
  });
  expect(await decode(sent)).toEqual(received);
});

test('sent values are kept, including null and false', async () => {
  const decode = await decoderFor({ properties: { a: { default: 1 }, b: { default: true } } });
  expect(await decode('{"a":null,"b":false}')).toEqual({ a: null, b: false });
});

test('a required member must be sent even if it has a default', async () => {
  const decode = await decoderFor({ ...sized, required: ['size'] });
  await expect(decode('{}')).rejects.toThrow(new Error('body.size is required'));
});

test('each request gets a new copy of a default', async () => {
  const decode = await decoderFor({ properties: { list: { type: 'array', default: [1] } } });
  const [one, other] = [await decode('{}'), await decode('{}')];
  expect(one).toEqual({ list: [1] });
  expect(Object(one).list).not.toBe(Object(other).list);
});

test('a default is exact beyond 2^53', async () => {
  const decode = await decoderFor({ properties: { a: { ...int64, default: '$9007199254740993' } } });
  expect(await decode('{}')).toEqual({ a: 9007199254740993n });
});
