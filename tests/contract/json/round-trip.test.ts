import fc from 'fast-check';
import { documentFactory } from '../things.ts';
import { fromDocument, toJson } from '../validation/from-schema.ts';

const int64 = { type: 'integer', format: 'int64' };
const schemas = {
  Node: {
    type: 'object',
    required: ['id', 'label'],
    properties: {
      id: int64,
      label: { type: 'string' },
      maybe: { type: ['integer', 'null'], format: 'int64' },
      pair: { type: 'array', prefixItems: [int64, { type: 'string' }], items: false, minItems: 2 },
      byName: { type: 'object', additionalProperties: int64 },
      either: { oneOf: [int64, { type: 'string' }, { type: 'array', items: int64 }] },
      children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
    },
    additionalProperties: false,
  },
};
const { decoderFor } = documentFactory();

test('every value that a schema accepts arrives to the last digit and character', async () => {
  const schema = { $ref: '#/components/schemas/Node' };
  const decode = await decoderFor(schema, schemas);
  const { arbitraryOf } = fromDocument({ components: { schemas } });
  let runs = 0;
  fc.assert(
    fc.property(arbitraryOf(schema), (value) => {
      const text = toJson(value);
      expect(decode(text).map(toJson)).toEqual([text]);
      runs += 1;
    }),
    { seed: 41, numRuns: 500 },
  );
  expect(runs).toBe(500);
});
