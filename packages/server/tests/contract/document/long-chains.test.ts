import { decodeBody, documentFactory, jsonBody } from '../things.ts';

const { compile } = documentFactory();

const LENGTH = 1000;

/** Schemas that each refer to the next one; the last one has a size. */
const chain = (refer: (ref: string) => object, size: object) =>
  Object.fromEntries(
    Array.from({ length: LENGTH }, (_, nth) => [
      `S${nth}`,
      nth === LENGTH - 1
        ? { type: 'object', properties: { size } }
        : refer(`#/components/schemas/S${nth + 1}`),
    ]),
  );

const asMember = ($ref: string) => ({ type: 'object', properties: { next: { $ref } } });
const asWhole = ($ref: string) => ({ $ref });
const integer = { type: 'integer' };
const int64 = { ...integer, format: 'int64' };

/** A value inside so many others. */
const inside = (depth: number, value: string) => '{"next":'.repeat(depth) + value + '}'.repeat(depth);

test.each<[what: string, refer: (ref: string) => object, size: object, valid: string, wrong: string]>([
  ['as a member', asMember, integer, inside(100, '{}'), inside(100, '1')],
  ['as a member, with an int64 in the last', asMember, int64, inside(100, '{}'), inside(100, '1')],
  ['as a whole', asWhole, integer, '{"size":1}', '{"size":"x"}'],
])(
  'a thousand schemas that each have the next one %s are served',
  async (_what, refer, size, valid, wrong) => {
    const [operation] = await compile(
      { requestBody: jsonBody({ $ref: '#/components/schemas/S0' }) },
      { schemas: chain(refer, size) },
    );
    if (!operation) throw new Error('there is no operation');
    expect(decodeBody(operation, valid)).toEqual(JSON.parse(valid));
    expect(() => decodeBody(operation, wrong)).toThrow(/must be an (?:object|integer)$/);
  },
);
