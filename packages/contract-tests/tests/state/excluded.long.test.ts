import { examine } from '../../src/examine.ts';
import { createTransport } from '../../src/exchange/transport.ts';
import { SHOP_TOKEN, shopContract, startShop } from './shop.ts';

test.each([
  ['createThing', /^POST \/things$/, 'readThing'],
  ['deleteThing', /^DELETE \/things\/[^/]+$/, 'createThing'],
])(
  'an excluded %s is never called, not even to create or to tidy up',
  async (excluded, request, other) => {
    const shop = await startShop();
    const transport = createTransport(shop.url);
    const sent: string[] = [];
    const { phases } = await examine({
      contract: shopContract,
      transport: {
        ...transport,
        send: (wire) => {
          sent.push(`${wire.method} ${wire.target.replace(/\?.*/, '')}`);
          return transport.send(wire);
        },
      },
      credentials: { token: SHOP_TOKEN },
      requests: 2,
      seed: 41,
      exclude: [excluded],
      phases: ['valid', 'parameters', 'credentials', 'state'],
    });
    transport.close();
    await shop.close();
    expect(sent.filter((each) => request.test(each))).toEqual([]);
    const examined = phases.flatMap(({ subjects }) =>
      subjects.flatMap(({ subject }) => subject.operations.map(({ id }) => id)),
    );
    expect(examined).toContain(other);
  },
  60_000,
);
