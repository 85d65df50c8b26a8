import { fuzz } from './fuzz.ts';

// `run.ts` tries out more of them.
const SEED = 1000;
const RUNS = 10;

test(`the tester survives ${RUNS} random contracts and services, from seed ${SEED}`, async () => {
  expect(await fuzz(SEED, RUNS)).toEqual({ runs: RUNS, errors: [] });
}, 240_000);

test('a body of which no value can be written does not stall the tester', async () => {
  expect(await fuzz(14_300, 1)).toEqual({ runs: 1, errors: [] });
}, 60_000);
