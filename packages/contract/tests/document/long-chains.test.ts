import { toJson } from '@trellis/openapi';
import { int64, ref } from '../support/documents.ts';
import { decoderFor } from '../support/operation.ts';

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

/** A value nested in `depth` objects. */
const inside = (depth: number, value: string) => '{"next":'.repeat(depth) + value + '}'.repeat(depth);

test.each<[what: string, refer: (ref: string) => object, size: object, valid: string, wrong: string]>([
  ['as a member', asMember, integer, inside(100, '{}'), inside(100, '1')],
  ['as a member, with an int64 in the last', asMember, int64, inside(100, '{}'), inside(100, '1')],
  ['as a whole', asWhole, integer, '{"size":1}', '{"size":"x"}'],
])(
  'a thousand schemas that each have the next one %s are served',
  async (_what, refer, size, valid, wrong) => {
    const decode = await decoderFor(ref('S0'), chain(refer, size));
    expect(await decode(valid)).toEqual(JSON.parse(valid));
    await expect(decode(wrong)).rejects.toThrow(/must be an (?:object|integer)$/);
  },
);

test('a body too deep for compiling the remaining schemas does not change how other bodies are decoded', async () => {
  const inline = Array.from({ length: 60 }).reduce<object>(withNext, { $ref: '#/components/schemas/Deep' });
  const Deep = {
    type: 'object',
    properties: { next: inline, chain: { $ref: '#/components/schemas/S0' }, wrong: integer },
  };
  const decode = await decoderFor(ref('Deep'), { ...chain(asMember, int64, 150), Deep });
  const body = (depth: number, wrong = '0'): string =>
    inside(61 * depth, `{"wrong":${wrong},"chain":${inside(149, '{"size":9007199254740993}')}}`);
  const isTooDeep = (depth: number): Promise<boolean> =>
    decode(body(depth)).then(
      () => false,
      () => true,
    );
  await expect(decode(body(0, '"x"'))).rejects.toThrow('body.wrong must be an integer');
  let depth = 140;
  while (await isTooDeep(depth)) depth -= 2;
  expect(depth).toBeLessThan(140);
  expect(toJson(await decode(body(0)))).toContain('{"size":9007199254740993}');
});
