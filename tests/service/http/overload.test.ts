import { EventEmitter, once } from 'node:events';
import { createGroupCommit } from '../../../packages/data/src/engines/group-commit.ts';
import { read } from '../../../packages/server/tests/support/service.ts';
import type { NewPlant } from '../../../src/plants/plant.ts';
import type { CreateOutcome, PlantRepository } from '../../../src/plants/repository.ts';
import { answerOf, clientOf, openInMemory, post, type Service, startService } from '../support/service.ts';

const LIMITS = { maxBatch: 2, maxWaiting: 5 };
/** One is committing, and the rest waits. */
const ACCEPTED = 1 + LIMITS.maxWaiting;

/** A store that commits nothing until it is released, and counts the creates that have reached it. */
const createHeldStore = async () => {
  const committed: bigint[] = [];
  const asked = new EventEmitter();
  let count = 0;
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const { submit, drain } = createGroupCommit(async (plants: readonly NewPlant[]) => {
    await held;
    committed.push(...plants.map(({ id }) => id));
    return plants.map((): CreateOutcome => 'created');
  }, LIMITS);
  const memory = await openInMemory();
  const plants: PlantRepository = {
    ...memory,
    create(plant) {
      const outcome = submit(plant);
      count += 1;
      asked.emit(`${count}`);
      return outcome;
    },
    close: () => drain().then(memory.close),
  };
  return { plants, committed, letGo, whenAsked: (times: number) => once(asked, `${times}`) };
};

let service: Service;
let store: Awaited<ReturnType<typeof createHeldStore>>;
beforeEach(async () => {
  store = await createHeldStore();
  service = await startService({ plants: store.plants });
});
afterEach(() => {
  store.letGo();
  return service.close();
});

const create = (id: number) =>
  clientOf(service).createPlant({ body: { id: BigInt(id), name: `plant ${id}` } });

/** Asks for as many plants as the store takes on, one after the other. */
const fill = async () => {
  const replies: ReturnType<typeof create>[] = [];
  for (let id = 1; id <= ACCEPTED; id += 1) {
    const asked = store.whenAsked(id);
    replies.push(create(id));
    await asked;
    await fetch(`${service.url}/healthz`); // the first is committing by then
  }
  return replies;
};

test('a create beyond the capacity of the store gets 503 at once, with a Retry-After', async () => {
  const accepted = await fill();
  const answered: unknown[] = [];
  for (const reply of accepted) void reply.then(() => answered.push(reply));

  const refused = await Promise.all([101, 102, 103].map(create));
  for (const reply of refused) {
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(answerOf(reply)).toEqual({
      status: 503,
      body: { error: 50302, message: 'the service is overloaded; try again' },
    });
  }
  expect(answered).toEqual([]);
  store.letGo();
  await Promise.all(accepted);
});

test('accepted creates are answered once the store resumes, and refused creates are not stored', async () => {
  const accepted = await fill();
  expect((await create(101)).status).toBe(503);
  store.letGo();

  const replies = (await Promise.all(accepted)).map(answerOf);
  expect(replies).toEqual(replies.map((_, index) => ({ status: 200, body: { name: `plant ${index + 1}` } })));
  expect(replies).toHaveLength(ACCEPTED);
  expect(store.committed).toEqual(replies.map((_, index) => BigInt(index + 1)));
  expect((await create(102)).status).toBe(200);
});

test('while the store is overloaded the service is alive, and invalid requests get 400', async () => {
  const accepted = await fill();
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(await read(post(service, '{}'))).toMatchObject({ status: 400, body: { error: 40002 } });
  expect((await post(service, '{}', { authorization: 'Bearer wrong' })).status).toBe(401);
  store.letGo();
  await Promise.all(accepted);
});
