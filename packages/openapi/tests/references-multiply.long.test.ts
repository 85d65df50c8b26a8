import { readContract } from '@trellis/openapi';

const refer = ($ref: string) => ({ $ref });
const HEAD = { openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths: {} };

/** Members that are references to the next of these, two at a time. */
const doubling = (length: number) =>
  Array.from({ length }, (_, nth) => {
    const next = { properties: refer(`#/x-maps/${nth + 1}`) };
    return nth === length - 1 ? {} : { a: next, b: next };
  });

/** A list of lists, and so on, around an object of many members; and references to each of them. */
const nested = (depth: number, members: number) => {
  let schema: object = { properties: Object.fromEntries(Array(members).fill({}).entries()) };
  for (let level = 0; level < depth; level += 1) schema = { items: schema };
  const schemas = Array.from({ length: depth }, (_, level) =>
    refer(`b.json#/x-list${'/items'.repeat(level)}`),
  );
  return { schema, schemas };
};
const { schema, schemas } = nested(150, 25_000);

test.each<[what: string, files: Record<string, object>]>([
  [
    'in one place',
    {
      'a.json': {
        ...HEAD,
        paths: refer('#/x-maps/0'),
        'x-maps': Array.from({ length: 30 }, (_, nth) => {
          const next = refer(`#/x-maps/${nth + 1}`);
          return { '/a': { a: next, b: next } };
        }),
      },
    },
  ],
  [
    'in many components of another file, in each of them a little',
    {
      'a.json': {
        ...HEAD,
        components: {
          schemas: { All: { anyOf: Array.from({ length: 100 }, (_, nth) => refer(`b.json#/x-all/${nth}`)) } },
        },
      },
      'b.json': { 'x-all': Array(100).fill({ properties: refer('#/x-maps/0') }), 'x-maps': doubling(15) },
    },
  ],
  [
    'since each of them leads into the next',
    {
      'a.json': { ...HEAD, components: { schemas: { All: { anyOf: schemas } } } },
      'b.json': { 'x-list': schema },
    },
  ],
])('a contract whose references multiply, %s, is refused in one line', async (_what, files) => {
  const readText = async (url: string) => JSON.stringify(files[new URL(url).pathname.slice(1)]);
  await expect(readContract('/a.json', readText)).rejects.toThrow(
    /^the contract is too large: more than 3000000 objects, or 300000 in place of a `\$ref`$/,
  );
});
