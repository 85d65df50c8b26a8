import { int64, json, when } from '../support/documents.ts';
import { decoderFor, serveOperation } from '../support/operation.ts';

/** As large as a body may be by default. */
const LIMIT = 102_400;
/** Maximum processor time of one request, in milliseconds. Without a limit, each of these took many seconds. */
const MOST = 1000;

const self = { $ref: '#/components/schemas/Self' };
const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required });

const fill = (item: string, size: number) =>
  Array(Math.floor(size / (item.length + 1)))
    .fill(item)
    .join(',');
const numbered = (size: number, write: (index: number) => string) =>
  Array.from({ length: size }, (_, i) => write(i)).join(',');
const nest = (depth: number, open: string, inner: string, close: string) =>
  open.repeat(depth) + inner + close.repeat(depth);
const lists = (depth: number, inner: string) => nest(depth, '[', inner, ']');
const objects = (depth: number, open: string, inner: string) => nest(depth, open, inner, '}');

/** Milliseconds of processor time, which a busy machine does not stretch as it does the time on the clock. */
const timed = async <T>(work: () => Promise<T>): Promise<{ made: T; took: number }> => {
  const before = process.cpuUsage();
  const made = await work();
  return { made, took: process.cpuUsage(before).user / 1000 };
};

/** How a body is answered. */
const answer = (decode: (text: string) => Promise<unknown>, text: string): Promise<string> =>
  decode(text).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

const NUL = '"\\u0000"';
const long = 'n'.repeat(9_000);

test.each<[what: string, unknown: string]>([
  ['10,000 lists deep', lists(10_000, fill(NUL, 80_000))],
  ['in each of 9,000 lists', nest(9_000, '[', NUL, `,${NUL}]`)],
  ['in each of 4,500 objects', nest(4_500, `{"b":${NUL},"a":`, '1', '}')],
  ['under long names', objects(10, `{"${long}":`, `[${fill(NUL, 8_000)}]`)],
  ['under 400 names', objects(400, `{"${'n'.repeat(200)}":`, `[${fill(NUL, 15_000)}]`)],
  ['in names, 6,000 lists deep', lists(6_000, `{${numbered(6_000, (i) => `"\\u0000${i}":1`)}}`)],
])('thousands of texts that no store can keep, %s, are refused in time', async (_what, unknown) => {
  const decode = await decoderFor(object({ id: int64 }, 'id'));
  const body = `{"id":1,"unknown":${unknown}}`;
  expect(body.length).toBeLessThan(LIMIT);
  const { made, took } = await timed(() => answer(decode, body));
  expect(made).toMatch(/^(?:a name in )?body\.unknown.* must not hold U\+0000; and (?:perhaps )?more$/);
  expect(made.length).toBeLessThan(20 * 250);
  expect(took).toBeLessThan(MOST);
});

const tree = { type: 'array', items: self };
const union = { oneOf: [object({ a: self }, 'a'), object({ a: self }, 'a', 'x'), { type: 'integer' }] };
const anyOf = { anyOf: [object({ a: self, n: int64 }), object({ a: self, m: int64 }), { type: 'null' }] };
const allOf = { allOf: [{ properties: { a: self } }, { properties: { a: self, n: int64 } }] };
const hasA = { properties: { a: self }, required: ['a'] };
const dependent = { ...object({ a: self }), dependentSchemas: { a: { properties: { a: self } } } };
const anyItem = { anyOf: [self, { type: 'integer' }] };
const sealed = { additionalProperties: false, ...object({ a: { oneOf: [self, self, self] } }) };
const open = { oneOf: [object({ a: self }, 'a'), { type: 'null' }], unevaluatedProperties: false };
const ints = { type: 'array', items: { anyOf: [self, int64] } };
const steps = { type: 'array', items: { oneOf: [self, { type: 'number', multipleOf: 0.01 }] } };
const unique = { type: 'array', uniqueItems: true, items: { anyOf: [self, { type: ['string', 'number'] }] } };
const listed = { type: 'array', items: { anyOf: [self, { enum: ['$9007199254740993', [1]] }, true] } };
const wide = { type: 'array', items: object({ a: self }, 'a', 'b', 'c') };
const holding = { type: 'array', contains: object({ kids: self }) };

const NOT_ONE = 'body must match exactly one schema in oneOf; and perhaps more';

test.each<[what: string, schema: object, body: string, answer: string | RegExp]>([
  [
    'wrong items, 100 lists deep',
    tree,
    lists(100, fill('1', 100_000)),
    /^body\[0\].*array; and perhaps more$/,
  ],
  [
    'wrong items, 1,000 lists deep',
    tree,
    lists(1_000, fill('1', 100_000)),
    /^body\[0\].*; and perhaps more$/,
  ],
  ['lists in lists', tree, lists(1_000, fill('[]', 100_000)), 'accepted'],
  ['a union in itself', union, objects(700, '{"a":', '1'), 'accepted'],
  ['a wrong union in itself', union, objects(700, '{"a":', 'true'), NOT_ONE],
  ['branches that all apply', anyOf, objects(500, '{"n":1,"m":2,"a":', 'null'), 'accepted'],
  ['parts that all apply', allOf, objects(500, '{"n":1,"a":', 'null'), 'accepted'],
  [
    'questions',
    when(hasA, { properties: { a: self } }, { not: hasA }),
    objects(500, '{"a":', '{}'),
    'accepted',
  ],
  ['contained items', { contains: anyItem, items: anyItem }, lists(700, fill('1', 90_000)), 'accepted'],
  ['dependent schemas', dependent, objects(700, '{"a":', '{}'), 'accepted'],
  ['members that are not evaluated', open, objects(500, '{"a":', 'null'), 'accepted'],
  [
    'strangers',
    sealed,
    objects(12, '{"a":', `{${numbered(8_000, (i) => `"q${i}":1`)}}`),
    /^body\.a must .*more$/,
  ],
  ['integers beside an exact one', ints, lists(700, `1e1,${fill('1', 60_000)}`), 'accepted'],
  ['steps beside an exact number', steps, lists(700, `1e1,${fill('1', 60_000)}`), 'accepted'],
  ['items that must differ', unique, lists(700, numbered(15_000, String)), 'accepted'],
  ['constants beyond 2^53', listed, lists(700, `1e1,${fill('[1]', 60_000)}`), 'accepted'],
  ['many violations', wide, `[${fill('{}', 100_000)}]`, 'body[0].a is required; and perhaps more'],
  ['one item that counts', holding, `[${fill('1', 100_000)},{}]`, 'accepted'],
])('work grows with the body alone: %s', async (_what, schema, body, expected) => {
  const decode = await decoderFor(self, { Self: schema });
  await answer(decode, '0'); // compiles the validator
  expect(body.length).toBeLessThan(LIMIT);
  const { made, took } = await timed(() => answer(decode, body));
  expect(made).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
  expect(took).toBeLessThan(MOST);
});

test('work grows with the body alone: members that only one branch does not evaluate', async () => {
  const branch = { ...object({ k: true }, 'k'), patternProperties: { '^p': true } };
  const decode = await decoderFor({ oneOf: [branch, { required: ['j'] }], unevaluatedProperties: int64 });
  const { made, took } = await timed(() => decode(`{"k":1,${numbered(8_000, (i) => `"q${i}":1`)}}`));
  expect(Object.values(Object(made))).toContain(1n);
  expect(took).toBeLessThan(MOST);
});

test('work does not double with every level of a schema that asks which branch evaluates a member', async () => {
  let schema: object = { type: 'integer' };
  for (let level = 0; level < 30; level += 1)
    schema = { anyOf: [object({ a: schema }, 'a'), { type: 'null' }], unevaluatedProperties: false };
  const decode = await decoderFor(schema);
  await answer(decode, 'null'); // compiles the validator
  const { made, took } = await timed(() => answer(decode, objects(30, '{"a":', '1')));
  expect(made).toBe('accepted');
  expect(took).toBeLessThan(MOST);
});

test('an outcome that is recalled is the same as one that is found', async () => {
  const schema = {
    anyOf: [object({ a: self, n: int64 }, 'n'), object({ a: self, m: { ...int64, default: 7 } })],
    unevaluatedProperties: false,
  };
  const decode = await decoderFor(self, { Self: schema });
  expect(await decode('{"n":1,"a":{"m":2,"a":{"n":3}}}')).toEqual({
    n: 1n,
    m: 7n,
    a: { m: 2n, a: { n: 3n, m: 7n } },
  });
  expect(await answer(decode, '{"a":{"a":{"n":1,"x":2}}}')).toMatch(/body\.a\.a\.x is not allowed/);
});

test('all violations of a small recursive body are reported', async () => {
  const decode = await decoderFor(self, { Self: object({ a: self, n: int64 }, 'n') });
  expect(await answer(decode, '{"a":{"n":"x","a":{}}}')).toBe(
    'body.n is required; body.a.a.n is required; body.a.n must be an int64',
  );
});

test.each<[what: string, schema: object, depth: number]>([
  ['an open schema', {}, 40_000],
  ['a schema that holds itself', self, 700],
])('a deep reply under %s is written', async (_what, schema, depth) => {
  const schemas = { Self: { properties: { a: self }, additionalProperties: self } };
  const decode = await decoderFor(schema, schemas);
  const { reply } = await serveOperation(
    { responses: { 200: json(schema) } },
    { document: { components: { schemas } } },
  );
  const body = objects(depth, '{"a":', '1');
  expect(await (await reply({ status: 200, body: await decode(body) })).text()).toBe(body);
});

test('a reply that holds itself is refused', async () => {
  const { reply } = await serveOperation({ responses: { 200: json({}) } });
  const body: Record<string, unknown> = {};
  Object.assign(body, { a: body, b: body });
  await expect(reply({ status: 200, body })).rejects.toThrow('holds itself');
});
