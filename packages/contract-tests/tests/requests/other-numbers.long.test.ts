import { valueChecks } from '../values-service.ts';

const check = valueChecks();

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
