import { jest } from '@jest/globals';
import { run } from './run.ts';
import { SHOP_FILE, SHOP_TOKEN, startShop } from './state/shop.ts';
import { startThings, THINGS_FILE, THINGS_TOKEN } from './things-service.ts';
import { valueChecks } from './values-service.ts';

const check = valueChecks();
const THINGS = ['listThings', 'createThing', 'readThing', 'replaceThing', 'patchThing', 'deleteThing'];

/** Runs everything, with far more requests than there is time for. The clock stands still but for requests, which take 10 ms. */
const runFor = async (timeMs: number) => {
  let now = 0;
  const { url, close } = await startThings({
    delay: async () => {
      now += 10;
    },
  });
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const credentials = { token: THINGS_TOKEN };
  const flags = [`--time=${timeMs}ms`, '--concurrency=1'];
  const result = await run({ url, spec: THINGS_FILE, credentials, requests: 10_000, flags });
  clock.mockRestore();
  await close();
  return { ...result, took: now };
};

test('the phases share the time of a run: none takes all of it', async () => {
  const { phases, end, took } = await runFor(4500);
  const sent = new Map(phases.map(({ name, requests }) => [name, requests]));
  // There are no examples, and nothing is stored. The phase `transfer` sends few requests.
  expect([sent.get('examples'), sent.get('state')]).toEqual([0, 0]);
  for (const name of ['coverage', 'valid', 'parameters', 'bodies', 'credentials', 'http'])
    expect([name, (sent.get(name) ?? 0) >= 20]).toEqual([name, true]);
  expect(sent.get('transfer')).toBeGreaterThan(0);
  expect(end).toMatchObject({ why: 'the time is up' });
  expect(took).toBeLessThanOrEqual(4500 + 20);
});

test('a run that is cut short in every phase finds nothing wrong with a right service', async () => {
  const { phases, end, failures } = await runFor(900);
  expect(phases.slice(1, -1).filter(({ requests }) => requests === 0)).toEqual([]);
  expect(end?.leftOut.length).toBeGreaterThan(5);
  expect(failures).toBe(0);
});

test('a bug that shows in many ways costs some hundred requests to shrink, not thousands', async () => {
  const { url, requests, close } = await startShop({
    kept: (_, value) => (typeof value === 'bigint' ? BigInt(Number(value)) : value),
  });
  const options = { url, spec: SHOP_FILE, credentials: { token: SHOP_TOKEN }, phases: ['state'] };
  const { failures } = await run({ ...options, include: THINGS });
  await close();
  expect(failures).toBeGreaterThan(1);
  expect(requests()).toBeLessThan(2200);
}, 120_000);

test('an operation that serves valid requests is not said to serve none', async () => {
  const { text } = await check('{ type: integer }', { takes: (body) => /^-?\d+$/.test(body) });
  expect(text).not.toContain('no valid request got more');
});
