import { createGroupCommit } from '../../../packages/data/src/engines/group-commit.ts';
import { createMetrics, type Metrics } from '../../../packages/server/src/http/observe/metrics.ts';
import { startProcess } from '../../../scripts/support/service.ts';
import { figures, parseExposition, scrape } from '../../support/exposition.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { post } from '../support/service.ts';

const makeFolder = temporaryFolders();

test('the store tells its batches: every create is in one, and each took its time', async () => {
  const process = await startProcess(await makeFolder(), { ACCESS_TOKENS: 'alice:s3cret' });
  const create = (id: number) =>
    post(process, `{"id":${id},"name":"Fern"}`, { authorization: 'Bearer s3cret' });
  const replies = await Promise.all(Array.from({ length: 100 }, (_, id) => create(id)));
  const samples = await scrape(process);
  await process.end();

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(100);
  const [batches = 0] = Object.values(figures(samples, 'store_batch_size_count'));
  expect(batches).toBeGreaterThan(0);
  expect(figures(samples, 'store_batch_size_sum')).toEqual({ '': 100 });
  expect(figures(samples, 'store_commit_duration_seconds_count')).toEqual({ committed: batches });
  expect(figures(samples, 'store_commit_duration_seconds_sum').committed).toBeGreaterThan(0);
  expect(figures(samples, 'store_queue_depth')).toEqual({ '': 0 });
});

const readOwn = async ({ render }: Metrics, name: string) =>
  figures(parseExposition((await render()).text).samples, name);

test('a batch is measured by its size', async () => {
  const metrics = createMetrics();
  const { submit } = createGroupCommit((items: readonly number[]) => items, { maxBatch: 4 }, metrics.store);
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map(submit));
  expect(await readOwn(metrics, 'store_batch_size_bucket')).toMatchObject({
    1: 0,
    2: 0,
    4: 2,
    8: 2,
    '+Inf': 2,
  });
  expect(await readOwn(metrics, 'store_batch_size_sum')).toEqual({ '': 7 });
});

test('pending writes are measured, and a failed batch is measured separately', async () => {
  const metrics = createMetrics();
  const read = (name: string) => readOwn(metrics, name);
  let fail = () => {};
  const held = new Promise<never>((_resolve, reject) => {
    fail = () => reject(new Error('disk full'));
  });
  const { submit } = createGroupCommit(() => held, { maxBatch: 2 }, metrics.store);
  const outcomes = Promise.allSettled([1, 2, 3, 4, 5].map(submit));
  await new Promise((resolve) => setImmediate(resolve)); // two are committing
  expect(await read('store_queue_depth')).toEqual({ '': 3 });

  fail();
  await outcomes;
  expect(await read('store_queue_depth')).toEqual({ '': 0 });
  expect(await read('store_commit_duration_seconds_count')).toEqual({ failed: 3 });
  expect(await read('store_batch_size_count')).toEqual({ '': 0 });
});
