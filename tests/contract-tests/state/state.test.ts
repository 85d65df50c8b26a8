import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { validProbeOf } from '../../../scripts/contract-tests/state/things.ts';
import { createShopSession, examineShop } from './examine.ts';
import { SHOP_TOKEN, startShop } from './shop.ts';

/** Runs the lines of a failure in a shell. */
const paste = async (told: string): Promise<string> => {
  const [, ...lines] = told.split('\n');
  const env = { PATH: process.env.PATH, TOKEN: SHOP_TOKEN };
  return (await promisify(execFile)('sh', ['-c', lines.join('\n')], { env })).stdout;
};

test('a failure is a script that shows it again, with an id that the service makes anew', async () => {
  const [wrong, right] = [await startShop({ deleted: () => {} }), await startShop()];
  const told = await examineShop(wrong, 1, '/things', 12);
  const script = told.find((each) => each.includes('what was deleted is gone: status 200')) ?? '';
  expect(script).toMatch(/^ {2}ID\d?=\$\(curl -s/m);
  expect(script).toMatch(/-X DELETE "http:.*\/things\/\$ID\d?"/);
  const last = (output: string): string | undefined => output.match(/HTTP\/1.1 \d+/g)?.at(-1);
  expect(last(await paste(script))).toBe('HTTP/1.1 200');
  expect(last(await paste(script.replaceAll(wrong.url, right.url)))).toBe('HTTP/1.1 404');
  await wrong.close();
  await right.close();
});

test('valid requests reach things that exist, deep ones too', async () => {
  const shop = await startShop();
  const session = createShopSession(shop, 41, 10);
  const served: string[] = [];
  for (const operation of session.operations)
    for (const valid of fc.sample(session.requestsOf(operation), { seed: 41, numRuns: 4 })) {
      const { answer } = await session.send(validProbeOf(await session.draftOf(operation, valid)));
      if (answer && answer.status < 300) served.push(operation.id);
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
    const drafts = await Promise.all(values.map((valid) => session.draftOf(operation, valid)));
    return new Set(drafts.flatMap(({ before, parameters }) => (before ? [...parameters.values()] : [])));
  };
  expect((await pathsOf('readThing')).size).toBe(1);
  expect((await pathsOf('deleteThing')).size).toBeGreaterThan(4);
  session.transport.close();
  await shop.close();
});
