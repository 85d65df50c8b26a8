import { toJson } from '@trellis/openapi/internal/json';
import { decodeBody, documentFactory, jsonBody } from '../things.ts';

const { compile } = documentFactory();

const LENGTH = 1000;

/** Schemas that each refer to the next one; the last one has a size. */
const chain = (refer: (ref: string) => object, size: object, length = LENGTH) =>
  Object.fromEntries(
    Array.from({ length }, (_, nth) => [
      `S${nth}`,
      nth === length - 1
        ? { type: 'object', properties: { size } }
        : refer(`#/components/schemas/S${nth + 1}`),
    ]),
  );

const withNext = (next: object) => ({ type: 'object', properties: { next } });
const asMember = ($ref: string) => withNext({ $ref });
const asWhole = ($ref: string) => ({ $ref });
const integer = { type: 'integer' };
const int64 = { ...integer, format: 'int64' };

/** A value nested in `depth` objects. */
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

test('a body too deep for compiling the remaining schemas does not change how other bodies are decoded', async () => {
  const inline = Array.from({ length: 60 }).reduce<object>(withNext, { $ref: '#/components/schemas/Deep' });
  const Deep = {
    type: 'object',
    properties: { next: inline, chain: { $ref: '#/components/schemas/S0' }, wrong: integer },
  };
  const [operation] = await compile(
    { requestBody: jsonBody({ $ref: '#/components/schemas/Deep' }) },
    { schemas: { ...chain(asMember, int64, 150), Deep } },
  );
  if (!operation) throw new Error('there is no operation');
  const body = (depth: number, wrong = '0'): string =>
    inside(61 * depth, `{"wrong":${wrong},"chain":${inside(149, '{"size":9007199254740993}')}}`);
  const isTooDeep = (depth: number): boolean => {
    try {
      decodeBody(operation, body(depth));
      return false;
    } catch {
      return true;
    }
  };
  expect(() => decodeBody(operation, body(0, '"x"'))).toThrow('body.wrong must be an integer');
  let depth = 140;
  while (isTooDeep(depth)) depth -= 2;
  expect(depth).toBeLessThan(140);
  expect(toJson(decodeBody(operation, body(0)))).toContain('{"size":9007199254740993}');
});
