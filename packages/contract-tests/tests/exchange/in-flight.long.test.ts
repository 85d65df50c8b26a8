import { run } from '../run.ts';
import { type Behaviour, startThings, THINGS_FILE, THINGS_TOKEN } from '../things-service.ts';

/** Runs the checks with answers that come in any order, and counts the requests that are under way. */
const check = async (wrong: Partial<Behaviour>, flags: readonly string[] = []) => {
  let underWay = 0;
  let most = 0;
  const delay: Behaviour['delay'] = async (body) => {
    underWay += 1;
    most = Math.max(most, underWay);
    // Answers overtake each other.
    for (let turns = body.length % 7; turns >= 0; turns -= 1)
      await new Promise((resolve) => setImmediate(resolve));
    underWay -= 1;
  };
  const { url, close } = await startThings({ ...wrong, delay });
  const credentials = { token: THINGS_TOKEN };
  const { text } = await run({ url, spec: THINGS_FILE, credentials, requests: 12, flags });
  await close();
  const told = text.replaceAll(url, '').replaceAll(/^\|.*$/gm, ''); // without the table, which counts requests
  return { told, most };
};

test('eight requests are under way at a time, or as many as are wanted', async () => {
  expect((await check({})).most).toBe(8);
  expect((await check({}, ['--concurrency=1'])).most).toBe(1);
});

test('findings do not depend on the number of concurrent requests', async () => {
  const wrong: Partial<Behaviour> = {
    isLimit: (limit) => limit !== '0',
    isThing: (thing) => typeof Object(thing).name === 'string' && Object(thing).name !== '',
  };
  const [one, other] = [await check(wrong), await check(wrong, ['--concurrency=1'])];
  expect(one.told).toContain('createThing: valid request: a valid request was refused with 400');
  expect(one.told).toContain(`--data-raw '{"name":""}'`);
  expect(one.told).toBe(other.told);
});
