import { StoreUnavailable } from '../../src/engines/errors.ts';
import type { PlantRepository } from '../../src/plants/repository.ts';
import { post, read, startService } from '../support/service.ts';

const PLANT = '{"id":1,"name":"Fern"}';

/** A service whose store fails once, in the given way, and works from then on. */
const startFailingOnce = (failure: unknown) => {
  const failures = [failure];
  const plants: PlantRepository = {
    async create() {
      if (failures.length > 0) throw failures.pop();
      return 'created';
    },
    check: async () => undefined,
    async close() {},
  };
  return startService({ plants });
};

test('an error that nobody foresaw answers 500, which tells nothing of the inside', async () => {
  const failure = new Error('secret detail', { cause: new Error('disk /dev/secret') });
  const service = await startFailingOnce(failure);
  const reply = await post(service, PLANT);

  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(await read(reply)).toEqual({ status: 500, body: { error: 50001, message: 'internal error' } });
  expect((await post(service, PLANT)).status).toBe(200);
  await service.close();
});

test('an error that nobody foresaw is logged with its cause, and what was asked', async () => {
  const failure = new Error('secret detail', { cause: new Error('disk /dev/secret') });
  const service = await startFailingOnce(failure);
  const reply = await post(service, PLANT);

  const [entry, ...others] = service.logged;
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    requestId: reply.headers.get('x-request-id'),
    method: 'POST',
    path: '/plants',
    operation: 'createPlant',
    who: 'tests',
    status: 500,
  });
  expect(entry && 'err' in entry && entry.err).toBe(failure);
  await service.close();
});

test.each([['text'], [undefined], [null], [{ status: 200, message: 'not an Error' }]])(
  'even %j, thrown, answers 500 in the Error shape',
  async (failure) => {
    const service = await startFailingOnce(failure);
    expect(await read(post(service, PLANT))).toEqual({
      status: 500,
      body: { error: 50001, message: 'internal error' },
    });
    expect(service.logged).toHaveLength(1);
    await service.close();
  },
);

test('a store that is away answers 503 with the time to wait, and is logged with its cause', async () => {
  const failure = new StoreUnavailable('failing', { cause: new Error('disk /dev/secret') });
  const service = await startFailingOnce(failure);
  const reply = await post(service, PLANT);

  expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await read(reply)).toEqual({
    status: 503,
    body: { error: 50301, message: 'the store is unavailable; try again' },
  });
  expect(service.logged).toHaveLength(1);
  expect(service.logged[0]).toHaveProperty('err.cause', failure);
  expect((await post(service, PLANT)).status).toBe(200);
  await service.close();
});

test('of a flood of refusals each is logged, one with the cause; of bugs each has its own', async () => {
  const flood = async (failure: unknown) => {
    const plants = { create: () => Promise.reject(failure), check: async () => undefined, async close() {} };
    const service = await startService({ plants });
    await Promise.all(Array.from({ length: 20 }, () => post(service, PLANT)));
    await service.close();
    expect(service.logged).toHaveLength(20);
    return service.logged.filter((line) => 'err' in line).length;
  };
  expect(await flood(new StoreUnavailable('unreachable'))).toBe(1);
  expect(await flood(new Error('a bug'))).toBe(20);
});
