import { BUGS } from './bugs.ts';
import { examineShop } from './examine.ts';
import { startShop } from './shop.ts';

describe.each([1, 2, 3])('with seed %d', (seed) => {
  test.each(BUGS)(
    'a shop that %s is caught',
    async (_what, wrong, where, claim) => {
      const shop = await startShop(typeof wrong === 'function' ? wrong() : wrong);
      const told = await examineShop(shop, seed, where);
      await shop.close();
      expect(told.join('\n\n')).toMatch(claim);
    },
    120_000,
  );
});
