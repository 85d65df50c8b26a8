import { examine } from '../src/examine.ts';
import { createTransport } from '../src/exchange/transport.ts';
import { SHOP_TOKEN, shopContract, startShop } from './state/shop.ts';

/** The bodies of the requests that create things. */
const bodiesSent = async (selection: { readonly include?: string[]; readonly phases: string[] }) => {
  const shop = await startShop();
  const transport = createTransport(shop.url);
  const bodies: string[] = [];
  await examine({
    contract: shopContract,
    transport: {
      ...transport,
      send: (request) => {
        if (request.target === '/things') bodies.push(`${request.body}`);
        return transport.send(request);
      },
    },
    credentials: { token: SHOP_TOKEN },
    requests: 5,
    seed: 7,
    ...selection,
  });
  transport.close();
  await shop.close();
  return bodies;
};

test('a run that is narrowed to an operation and a phase sends the same requests again', async () => {
  const whole = await bodiesSent({ phases: ['valid', 'bodies'] });
  const narrow = await bodiesSent({ include: ['createThing'], phases: ['bodies'] });
  expect(narrow.length).toBeGreaterThan(20);
  expect(whole.length).toBeGreaterThan(narrow.length);
  expect(whole).toEqual(expect.arrayContaining(narrow));
});
