import { createTell } from '../../../scripts/contract-tests/exchange/failure.ts';
import { createTransport } from '../../../scripts/contract-tests/exchange/transport.ts';
import { createSession } from '../../../scripts/contract-tests/session.ts';
import { createStatePhase } from '../../../scripts/contract-tests/state/phase.ts';
import { type Keeping, SHOP_TOKEN, shopContract, startShop } from './shop.ts';

/** What the state phase says of a shop that gets this wrong. */
const examine = async (wrong: Partial<Keeping>, seed: number, requests = 100): Promise<string[]> => {
  const { url, close } = await startShop(wrong);
  const transport = createTransport(url);
  const credentials = { token: SHOP_TOKEN };
  const session = createSession({ contract: shopContract, transport, credentials, requests, seed });
  const { subjects, run } = createStatePhase(session);
  const told: string[] = [];
  for (const subject of subjects) {
    const { failures, notes } = await run(subject);
    told.push(...failures.map(createTell(shopContract, url)), ...notes);
  }
  transport.close();
  await close();
  return told;
};

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
  'a shop that keeps what it is given passes with seed %d',
  async (seed) => {
    expect(await examine({}, seed)).toEqual([]);
  },
);
