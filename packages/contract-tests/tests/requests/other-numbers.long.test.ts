import { valueChecks } from '../values-service.ts';

const check = valueChecks();

const DIFFERENT = '{ type: array, items: { type: integer }, minItems: 1, uniqueItems: true }';
const areIntegers = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isInteger);

test('a service that takes 1 and 1.0 for different items is caught', async () => {
  const { text } = await check(DIFFERENT, {
    takes: (body) => {
      const items = body.slice(1, -1).split(',');
      return areIntegers(JSON.parse(body)) && new Set(items).size === items.length;
    },
  });
  expect(text).toContain('sendValue: body with an item twice, once as a decimal: expected 400, got 200');
});

test('a service that takes them for the same keeps its contract', async () => {
  const { text, failures } = await check(DIFFERENT, {
    takes: (body) => {
      const items: unknown = JSON.parse(body);
      const texts = body.slice(1, -1).split(',');
      const isExact = new Set(texts.map((each) => each.replace(/\.0$/, ''))).size === texts.length;
      return areIntegers(items) && isExact;
    },
  });
  expect(text).not.toContain('expected');
  expect(failures).toBe(0);
});

const isNumber = (body: string): boolean => typeof JSON.parse(body) === 'number';

test('a service that reads 1e400 as infinity, which it writes as null, is caught', async () => {
  const { text } = await check('{ type: number }', {
    takes: isNumber,
    reply: (body) => JSON.stringify(JSON.parse(body)),
  });
  expect(text).toContain('sendValue: body with a number beyond every double: the body must be number');
});

test.each([
  ['keeps such a number', isNumber],
  ['refuses such a number', (body: string) => isNumber(body) && Number.isFinite(Number(body))],
])('a service that %s keeps its contract', async (_what, takes) => {
  expect((await check('{ type: number }', { takes })).failures).toBe(0);
});
