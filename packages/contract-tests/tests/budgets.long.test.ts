import { jest } from '@jest/globals';
import { createContract } from '../src/document/contract.ts';
import { readSources } from '../src/document/sources.ts';
import { examine } from '../src/examine.ts';
import { createTransport } from '../src/exchange/transport.ts';
import { createStatePhase } from '../src/state/phase.ts';
import { createShopSession } from './state/examine.ts';
import { type Keeping, startShop } from './state/shop.ts';
import { startThings, THINGS_FILE, THINGS_TOKEN } from './things-service.ts';
import { valueChecks } from './values-service.ts';

const check = valueChecks();
const contract = createContract(await readSources(THINGS_FILE));

/** Runs everything, with far more requests than there is time for. The clock stands still but for requests, which take 10 ms. */
const runFor = async (timeMs: number) => {
  const { url, close } = await startThings();
  const transport = createTransport(url);
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const send: typeof transport.send = (request) => {
    now += 10;
    return transport.send(request);
  };
  const results = await examine({
    contract,
    transport: { ...transport, send },
    credentials: { token: THINGS_TOKEN },
    requests: 10_000,
    seed: 41,
    timeMs,
  });
  clock.mockRestore();
  transport.close();
  await close();
  return { ...results, took: now };
};

test('the phases share the time of a run: none takes all of it', async () => {
  const { phases, end, took } = await runFor(4500);
  const sent = phases.map(({ phase, subjects }) => [
    phase.name,
    subjects.reduce((total, { counts }) => total + counts.requests, 0),
  ]);
  const share = expect.any(Number);
  expect(sent).toEqual([
    ['examples', 0],
    ...['coverage', 'valid', 'parameters', 'bodies', 'credentials', 'http', 'transfer'].map((name) => [
      name,
      share,
    ]),
    ['state', 0],
  ]);
  // The phase `transfer` sends few requests.
  expect(sent.slice(1, -2).every(([, requests]) => Number(requests) >= 20)).toBe(true);
  expect(end).toMatchObject({ kind: 'stopped', why: 'the time is up' });
  expect(took).toBeLessThanOrEqual(4500 + 10);
});

test('a run that is cut short in every phase finds nothing wrong with a right service', async () => {
  const { phases, end } = await runFor(900);
  const sent = phases.map(({ subjects }) => subjects.reduce((sum, { counts }) => sum + counts.requests, 0));
  expect(sent.slice(1, -1).every((requests) => requests > 0)).toBe(true);
  expect(end?.leftOut.length).toBeGreaterThan(5);
  expect(phases.flatMap(({ subjects }) => subjects.flatMap(({ findings }) => findings.failures))).toEqual([]);
});

test('a bug that shows in many ways costs some hundred requests to shrink, not thousands', async () => {
  const kept: Keeping['kept'] = (_, value) => (typeof value === 'bigint' ? BigInt(Number(value)) : value);
  const shop = await startShop({ kept });
  const session = createShopSession(shop, 41, 100);
  const { subjects } = createStatePhase(session);
  const subject = subjects.find(({ title }) => title === '/things');
  const { failures = [] } = (await subject?.run()) ?? {};
  session.transport.close();
  await shop.close();
  expect(failures.length).toBeGreaterThan(1);
  expect(session.sent()).toBeLessThan(2200);
}, 120_000);

test('an operation that serves valid requests is not said to serve none', async () => {
  const { text } = await check('{ type: integer }', { takes: (body) => /^-?\d+$/.test(body) });
  expect(text).not.toContain('no valid request got more');
});
