import { join } from 'node:path';
import { read } from '../../packages/server/tests/support/service.ts';
import type { NewPlant } from '../../src/plants/plant.ts';
import type { PlantRepository } from '../../src/plants/repository.ts';
import { openStore } from '../../src/store.ts';
import { answerOf, clientOf, post, type Service, startService } from '../service/support/service.ts';
import { temporaryFolders } from '../support/temporary.ts';

const makeFolder = temporaryFolders();
let service: Service;
beforeAll(async () => {
  service = await startService({
    plants: await openStore({ databaseUrl: `sqlite:${join(await makeFolder(), 'plants.db')}` }),
  });
});
afterAll(() => service.close());

/** A separate id for each test, since all tests share a store. */
let id = 0n;
beforeEach(() => {
  id += 100n;
});

const create = async (body: NewPlant) => answerOf(await clientOf(service).createPlant({ body }));

const taken = (id: bigint) => ({
  status: 409,
  body: { error: 40901, message: `another plant has id ${id}` },
});

test('a valid plant with valid credentials answers 200 with the Plant shape, which has no id', async () => {
  expect(await create({ id, name: 'Fern', tag: 'shade' })).toEqual({
    status: 200,
    body: { name: 'Fern', tag: 'shade' },
  });
});

test('a plant without a tag comes back without one', async () => {
  expect(await create({ id, name: 'Fern' })).toEqual({ status: 200, body: { name: 'Fern' } });
});

test('unknown fields are accepted, not stored and not returned', async () => {
  const plain = { status: 200, body: { name: 'Fern' } };
  expect(await read(post(service, `{"id":${id},"name":"Fern","colour":"green","Tag":"x"}`))).toEqual(plain);
  expect(await read(post(service, `{"id":${id},"name":"Fern"}`))).toEqual(plain);
});

test('the store is asked to hold a plant and nothing that came with it', async () => {
  const asked: object[] = [];
  const store = await openStore({ databaseUrl: 'memory:' });
  const plants: PlantRepository = {
    ...store,
    create(plant) {
      asked.push(plant);
      return store.create(plant);
    },
  };
  const listening = await startService({ plants });
  await post(listening, '{"id":1,"name":"Fern","baggage":[{},{},{}]}');
  await post(listening, '{"id":2,"name":"Moss","tag":"shade","__proto__":{"tag":"x"}}');
  await listening.close();
  expect(asked).toStrictEqual([
    { id: 1n, name: 'Fern' },
    { id: 2n, name: 'Moss', tag: 'shade' },
  ]);
});

test('the same plant sent again answers 200 and changes nothing', async () => {
  const plant = { id, name: 'Fern', tag: 'shade' };
  const answers = [await create(plant), await create(plant)];
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[1]?.status).toBe(200);
});

test('the same id with another name or tag answers 409 and keeps the first plant', async () => {
  await create({ id, name: 'Fern', tag: 'shade' });
  expect(await create({ id, name: 'Moss', tag: 'shade' })).toEqual(taken(id));
  expect(await create({ id, name: 'Fern', tag: 'sun' })).toEqual(taken(id));
  expect(await create({ id, name: 'Fern' })).toEqual(taken(id));
  expect((await create({ id, name: 'Fern', tag: 'shade' })).status).toBe(200);
});

test('of 50 different plants sent at once under one id one gets 200 and 49 get 409', async () => {
  const plants = Array.from({ length: 50 }, (_, index) => ({ id: 2n ** 63n - 1n, name: `plant ${index}` }));
  const replies = await Promise.all(plants.map(create));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 409)).toHaveLength(49);
  expect(replies).toContainEqual(taken(2n ** 63n - 1n));
});

test('a long name is no trouble within the body limit', async () => {
  const name = 'ü'.repeat(50_000);
  expect(await create({ id, name })).toEqual({ status: 200, body: { name } });
});

test('text comes back exactly: combining marks, emoji, controls, quotes, empty', async () => {
  const texts = [
    '',
    ' ',
    'e\u0301',
    'é',
    '🌿',
    '\u202e\u200b',
    '\u0001\u007f',
    '"\\\n',
    '\ufeffx',
    '</script>',
  ];
  const replies = await Promise.all(
    texts.map((name, nth) => create({ id: id + BigInt(nth), name, tag: name })),
  );
  expect(replies.map(({ body }) => body)).toEqual(texts.map((name) => ({ name, tag: name })));
});
