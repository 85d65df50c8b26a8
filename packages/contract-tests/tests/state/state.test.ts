import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { createTell } from '../../src/exchange/failure.ts';
import { validProbeOf } from '../../src/requests/call.ts';
import { createShopSession } from './examine.ts';
import { SHOP_TOKEN, shopContract, startShop } from './shop.ts';

/** Runs the lines of a failure in a shell. */
const paste = async (told: string): Promise<string> => {
  const [, ...lines] = told.split('\n');
  const env = { PATH: process.env.PATH, TOKEN: SHOP_TOKEN };
  return (await promisify(execFile)('sh', ['-c', lines.join('\n')], { env })).stdout;
};

test('a failure prints all requests that led to it, as lines to paste', async () => {
  const shop = await startShop();
  const session = createShopSession(shop, 41, 10);
  const parts = session.resources.find(({ title }) => title === '/things/{thing}/parts');
  const part = parts && (await session.instances.createNew(parts));
  if (!parts?.read || !part) throw new Error('no part was made');
  const [valid] = fc.sample(session.requestsOf(parts.read), { seed: 41, numRuns: 1 });
  if (!valid) throw new Error('no request was made');
  const call = session.instances.addressTo(part, parts.read, valid);
  const { reply } = await session.send(validProbeOf(call));
  const breach = { what: 'wrong', at: parts.read.at };
  const exchanges = [...part.before, { call, reply }];
  const told = createTell(shopContract, shop.url)({ name: 'reading', exchanges, breach });
  const before = shop.requests();
  expect((await paste(told)).match(/HTTP\/1.1 \d+/g)).toEqual([
    'HTTP/1.1 201',
    'HTTP/1.1 201',
    'HTTP/1.1 200',
  ]);
  expect(shop.requests() - before).toBe(3);
  session.transport.close();
  await shop.close();
});

test('valid requests reach things that exist, deep ones too', async () => {
  const shop = await startShop();
  const session = createShopSession(shop, 41, 10);
  const served: string[] = [];
  for (const operation of session.operations)
    for (const valid of fc.sample(session.requestsOf(operation), { seed: 41, numRuns: 4 })) {
      const { reply } = await session.send(validProbeOf(await session.callOf(operation, valid)));
      if (reply && reply.status < 300) served.push(operation.id);
    }
  session.transport.close();
  await shop.close();
  expect([...new Set(served)]).toEqual(session.operations.map(({ id }) => id));
});

test('requests at the same time share one thing, and each delete has its own', async () => {
  const shop = await startShop();
  const session = createShopSession(shop, 41, 10);
  const pathsOf = async (id: string): Promise<Set<unknown>> => {
    const operation = session.operations.find((each) => each.id === id);
    if (!operation) throw new Error(`there is no operation ${id}`);
    const values = fc.sample(session.requestsOf(operation), { seed: 41, numRuns: 8 });
    const calls = await Promise.all(values.map((valid) => session.callOf(operation, valid)));
    return new Set(calls.flatMap(({ before, parameters }) => (before ? [...parameters.values()] : [])));
  };
  expect((await pathsOf('readThing')).size).toBe(1);
  expect((await pathsOf('deleteThing')).size).toBeGreaterThan(4);
  session.transport.close();
  await shop.close();
});
