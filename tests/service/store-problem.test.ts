import { StoreUnavailable } from '../../packages/data/src/engines/errors.ts';
import { answerOf, clientOf, openInMemory, startService } from './support/service.ts';

const PLANT = { id: 1n, name: 'Fern' };

/** A service whose store fails once, in the given way, and works from then on. */
const startFailingOnce = async (failure: unknown) => {
  const failures = [failure];
  const memory = await openInMemory();
  return startService({
    plants: {
      ...memory,
      async create(plant) {
        if (failures.length > 0) throw failures.pop();
        return memory.create(plant);
      },
    },
  });
};

test('a store that is down answers 503 with a Retry-After, and is logged with its cause', async () => {
  const failure = new StoreUnavailable('failing', { cause: new Error('disk /dev/secret') });
  const service = await startFailingOnce(failure);
  const client = clientOf(service);
  const reply = await client.createPlant({ body: PLANT });

  expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(answerOf(reply)).toEqual({
    status: 503,
    body: { error: 50301, message: 'the store is unavailable; try again' },
  });
  expect(service.logged).toHaveLength(1);
  expect(service.logged[0]).toHaveProperty('err.cause', failure);
  expect((await client.createPlant({ body: PLANT })).status).toBe(200);
  await service.close();
});
