import { receiverFor } from '../support/operation.ts';

const LENGTH = 100 * 1024;

const TYPE = 'application/x-www-form-urlencoded';

/** Decodes forms by a schema. */
const decoderFor = async (schema: object, encoding: object = {}) => {
  const receive = await receiverFor({ [TYPE]: { schema, encoding } });
  return (form: string) => receive(TYPE, form);
};

/** The milliseconds of the processor that something takes, however busy the machine is. */
const costOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** As many pairs as a form may have. */
const pairs = (make: (nth: number) => string): string => {
  const made: string[] = [];
  for (let [nth, size] = [0, 0]; size < LENGTH; nth += 1)
    size += made.push(make(nth)) && make(nth).length + 1;
  return made.join('&');
};

const BRANCHES = 50;
const branches = (make: (nth: number) => object) =>
  Array.from({ length: BRANCHES }, (_, nth) => ({ type: 'array', items: make(nth) }));
const upTo = (maximum: number) => ({ type: 'integer', maximum });
const orText = (...schemas: readonly object[]) => ({ anyOf: [...schemas, { type: 'string', maxLength: 3 }] });
const distinct = (nth: number) => `q=${100_000 + nth}`;

test.each<[what: string, q: object, make: (nth: number) => string]>([
  ['integers', { anyOf: branches(upTo) }, distinct],
  ['integers, and one text at the end', { anyOf: branches(upTo) }, (nth) => (nth < 12_000 ? 'q=1' : 'q=x')],
  ['integers or texts', { anyOf: branches((nth) => orText(upTo(nth))) }, distinct],
  [
    'integers or texts of which several accept each',
    { oneOf: branches((nth) => ({ anyOf: [upTo(100_000 + 200 * nth), { type: 'string' }] })) },
    distinct,
  ],
  [
    'values of every type',
    { anyOf: branches((nth) => ({ type: ['integer', 'number', 'boolean', 'null', 'string'], enum: [nth] })) },
    distinct,
  ],
])('a union of 50 lists of %s is read in time for 100 KiB', async (_what, q, make) => {
  const decode = await decoderFor({ properties: { q } });
  await decode('q=1').catch(() => {}); // compiles the schemas
  // Each text by each branch, as two types at most, and all of them together a few times.
  expect(await costOf(() => decode(pairs(make)).catch(() => {}))).toBeLessThan(10_000);
});

test('a long list is read as the branch that alone accepts it', async () => {
  const lists = [
    { type: 'array', items: { type: 'integer' } },
    { type: 'array', items: { type: 'string' } },
  ];
  const decode = await decoderFor({ properties: { q: { anyOf: lists } } });
  const numbers = Array.from({ length: 60_000 }, (_, nth) => nth);
  const form = numbers.map((number) => `q=${number}`).join('&');
  expect(await decode(form)).toEqual({ q: numbers });
  expect(await decode(`${form}&q=x`)).toEqual({ q: [...numbers.map(String), 'x'] });
});

test('a short list is read in every way that there is, and the last may be the right one', async () => {
  const lists = branches((nth) => ({ anyOf: [upTo(nth), { type: 'string' }] }));
  const only = { ...lists[BRANCHES - 1], contains: { const: '77' }, minItems: 2 };
  const none = lists.slice(0, -1).map((list) => ({ ...list, maxItems: 1 }));
  const decode = await decoderFor({ properties: { q: { anyOf: [...none, only] } } });
  expect(await decode('q=48&q=49&q=77')).toEqual({ q: [48, 49, '77'] });
});

test.each<[what: string, members: number, encoding: object, make: (nth: number) => string]>([
  ['undeclared names', 100, {}, (nth) => `${nth}`],
  ['members of deep objects', 100, { style: 'deepObject', explode: true }, (nth) => `p1[${nth}]`],
  ['almost members of deep objects', 100, { style: 'deepObject', explode: true }, (nth) => `p[${nth}`],
  ['members of objects', 100, {}, (nth) => `p${nth % 100}m${nth % 20}`],
  ['pairs in one value', 1, { explode: false }, (nth) => (nth === 0 ? 'p0=a' : ',a')],
])('thousands of %s are read in time for 100 KiB', async (_what, members, encoding, make) => {
  const names = Array.from({ length: members }, (_, nth) => `p${nth}`);
  const inner = (name: string) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`${name}m${nth}`, { type: 'string' }]));
  const decode = await decoderFor(
    {
      additionalProperties: true,
      properties: Object.fromEntries(
        names.map((name) => [name, { type: 'object', properties: inner(name) }]),
      ),
    },
    Object.fromEntries(names.map((name) => [name, encoding])),
  );
  const form = members === 1 ? pairs(make).replaceAll('&', '') : pairs(make);
  let decoded: unknown;
  const cost = await costOf(async () => {
    decoded = await decode(form);
  });
  expect(decoded).not.toEqual({});
  expect(cost).toBeLessThan(2000);
});
