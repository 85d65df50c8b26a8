import { createTell } from '../../src/exchange/failure.ts';
import { createTransport } from '../../src/exchange/transport.ts';
import { createSession } from '../../src/session.ts';
import { createStatePhase } from '../../src/state/phase.ts';
import { SHOP_TOKEN, type Shop, shopContract } from './shop.ts';

/** A session with a shop. */
export const createShopSession = ({ url }: Shop, seed: number, requests: number) => {
  const transport = createTransport(url);
  const credentials = { token: SHOP_TOKEN };
  return { ...createSession({ contract: shopContract, transport, credentials, requests, seed }), transport };
};

/** Runs the state phase for a shop: for all collections, or only one. */
export const examineShop = async (
  shop: Shop,
  seed: number,
  only?: string,
  requests = 80,
): Promise<string[]> => {
  const session = createShopSession(shop, seed, requests);
  const { subjects } = createStatePhase(session);
  const told: string[] = [];
  for (const subject of subjects)
    if (only === undefined || subject.title === only) {
      const { failures, notes } = await subject.run();
      told.push(...failures.map(createTell(shopContract, shop.url)), ...notes);
    }
  session.transport.close();
  return told;
};
