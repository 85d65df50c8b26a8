import { StoreOverloaded } from '@trellis/data';
import { createGroupCommit } from '@trellis/data/internal';

/** A commit that waits until the test lets it go, and remembers its batches. */
const heldCommit = () => {
  const batches: (readonly number[])[] = [];
  const release: (() => void)[] = [];
  let isHeld = true;
  const commit = async (items: readonly number[]) => {
    batches.push(items);
    if (isHeld) await new Promise<void>((resolve) => release.push(resolve));
    return items.map((item) => item * 10);
  };
  const holdNoMore = () => {
    isHeld = false;
    for (const each of release.splice(0)) each();
  };
  return { batches, release, holdNoMore, commit };
};

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what arrives together is committed together, each with its own result', async () => {
  const batches: (readonly number[])[] = [];
  const { submit } = createGroupCommit((items: readonly number[]) => {
    batches.push(items);
    return items.map((item) => item * 10);
  });
  expect(await Promise.all([1, 2, 3].map(submit))).toEqual([10, 20, 30]);
  expect(batches).toEqual([[1, 2, 3]]);
});

test('what arrives while a batch is committing is the next batch', async () => {
  const { batches, release, commit } = heldCommit();
  const { submit } = createGroupCommit(commit);
  const first = submit(1);
  await turn();
  const rest = [submit(2), submit(3)];
  await turn();
  expect(batches).toEqual([[1]]);
  release.shift()?.();
  await first;
  await turn();
  await turn();
  expect(batches).toEqual([[1], [2, 3]]);
  release.shift()?.();
  expect(await Promise.all(rest)).toEqual([20, 30]);
});

test('a large batch after a small one takes half of both, so that halves alternate', async () => {
  const { batches, release, holdNoMore, commit } = heldCommit();
  const { submit } = createGroupCommit(commit);
  const submitted = [1, 2, 3, 4].map(submit);
  await turn();
  submitted.push(...Array.from({ length: 60 }, (_, index) => submit(index + 5)));
  release.shift()?.();
  await Promise.all(submitted.slice(0, 4));
  await turn();
  await turn();
  expect(batches.map(({ length }) => length)).toEqual([4, 32]);
  submitted.push(...[65, 66, 67, 68].map(submit));
  holdNoMore();
  await Promise.all(submitted);
  expect(batches.map(({ length }) => length)).toEqual([4, 32, 32]);
});

test('if as many wait as were committed, they are on their way before those are answered', async () => {
  const { batches, release, holdNoMore, commit } = heldCommit();
  const { submit } = createGroupCommit(commit);
  const first = submit(1).then(() => batches.length);
  await turn();
  await turn();
  const second = submit(2).then(() => batches.length);
  release.shift()?.();
  expect(await first).toBe(2);
  holdNoMore();
  expect(await second).toBe(2);
});

test('if fewer wait than were committed, those are answered first, and may join the next batch', async () => {
  const { batches, release, holdNoMore, commit } = heldCommit();
  const { submit } = createGroupCommit(commit);
  const again: Promise<number>[] = [];
  const both = [1, 2].map((item) => submit(item).then(() => again.push(submit(item + 10))));
  await turn();
  const third = submit(3);
  release.shift()?.();
  await Promise.all(both);
  await turn();
  await turn();
  expect(batches).toEqual([
    [1, 2],
    [3, 11, 12],
  ]);
  holdNoMore();
  expect(await Promise.all([third, ...again])).toEqual([30, 110, 120]);
});

test('a store that never waits leaves the event loop to others between two batches', async () => {
  const { submit } = createGroupCommit((items: readonly number[]) => items, { maxBatch: 50 });
  let left = 100_000;
  const submitAgain = async (): Promise<void> => {
    while (left-- > 0) await submit(left);
  };
  const all = Promise.all(Array.from({ length: 100 }, submitAgain));
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(left).toBeGreaterThan(90_000);
  left = 0;
  await all;
});

test('a batch has a bound', async () => {
  const sizes: number[] = [];
  const { submit } = createGroupCommit(
    (items: readonly number[]) => {
      sizes.push(items.length);
      return items;
    },
    { maxBatch: 4 },
  );
  await Promise.all(Array.from({ length: 10 }, (_, index) => submit(index)));
  expect(sizes).toEqual([4, 4, 2]);
});

test('a failed batch fails all that went with it, and nothing after', async () => {
  let fail = true;
  const { submit } = createGroupCommit((items: readonly number[]) => {
    if (fail) throw new Error('disk full');
    return items;
  });
  const outcomes = await Promise.allSettled([submit(1), submit(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fail = false;
  expect(await submit(3)).toBe(3);
});

test('a commit that forgets an item fails the batch, so that no caller waits forever', async () => {
  const { submit } = createGroupCommit((items: readonly number[]) => items.slice(1));
  await expect(Promise.all([submit(1), submit(2)])).rejects.toThrow('another number of results');
});

test('drain settles once everything has, and at once where there is nothing', async () => {
  const { submit, drain } = createGroupCommit((items: readonly number[]) => items);
  await drain();
  const settled: number[] = [];
  for (const item of [1, 2, 3]) void submit(item).then((result) => settled.push(result));
  await drain();
  expect(settled).toEqual([1, 2, 3]);
});

test('a submit beyond maxWaiting is refused at once, and accepted items are committed', async () => {
  const { batches, holdNoMore, commit } = heldCommit();
  const { submit } = createGroupCommit(commit, { maxBatch: 2, maxWaiting: 3 });
  const accepted = [submit(1)];
  await turn(); // the first is committing; no item waits
  accepted.push(submit(2), submit(3), submit(4));
  for (const item of [5, 6]) await expect(submit(item)).rejects.toBeInstanceOf(StoreOverloaded);

  holdNoMore();
  expect(await Promise.all(accepted)).toEqual([10, 20, 30, 40]);
  expect(await submit(7)).toBe(70);
  expect(batches).toEqual([[1], [2, 3], [4], [7]]);
});

test('items that are committing do not count as waiting', async () => {
  const { holdNoMore, commit } = heldCommit();
  const { submit } = createGroupCommit(commit, { maxBatch: 100, maxWaiting: 2 });
  const first = [submit(1), submit(2)];
  await expect(submit(3)).rejects.toBeInstanceOf(StoreOverloaded);
  await turn();
  const second = [submit(4), submit(5)];
  await expect(submit(6)).rejects.toBeInstanceOf(StoreOverloaded);
  holdNoMore();
  expect(await Promise.all([...first, ...second])).toEqual([10, 20, 40, 50]);
});

test('with several lanes as many batches are on their way, and no more', async () => {
  const { batches, holdNoMore, commit } = heldCommit();
  const { submit, drain } = createGroupCommit(commit, { maxBatch: 1, lanes: 2 });
  const results = [1, 2, 3].map(submit);
  for (let turns = 0; turns < 5; turns += 1) await turn();
  expect(batches).toEqual([[1], [2]]);
  holdNoMore();
  await drain();
  expect(batches).toEqual([[1], [2], [3]]);
  expect(await Promise.all(results)).toEqual([10, 20, 30]);
});

test('waiting items join the next batch, or take a separate lane if that batch takes long', async () => {
  const { batches, release, holdNoMore, commit } = heldCommit();
  const { submit, drain } = createGroupCommit(commit, { lanes: 2 });
  const first = submit(1);
  await turn();
  const second = [submit(2), submit(3)];
  await turn();
  expect(batches).toEqual([[1]]);
  release.shift()?.();
  await first;
  while (batches.length < 2) await turn();
  const third = submit(4);
  while (batches.length < 3) await turn(); // the second batch is still held
  expect(batches).toEqual([[1], [2, 3], [4]]);
  holdNoMore();
  await drain();
  expect(await Promise.all([...second, third])).toEqual([20, 30, 40]);
});

test('a failed batch does not keep those that wait behind it', async () => {
  const failures = [new Error('disk full')];
  const { submit } = createGroupCommit(
    async (items: readonly number[]) => {
      const failure = failures.pop();
      if (failure) throw failure;
      return items;
    },
    { maxBatch: 1, maxWaiting: 2 },
  );
  const outcomes = await Promise.allSettled([submit(1), submit(2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('each item is followed by itself, from its submission until its batch is committed or has failed', async () => {
  const settled: unknown[] = [];
  let count = 0;
  const observer = {
    watchQueue() {},
    committed() {},
    failed() {},
    followItem() {
      const nth = count++;
      return (outcome: unknown, batchSize: number) => void settled.push([nth, outcome, batchSize]);
    },
  };
  const failure = new Error('the disk is full');
  const { submit } = createGroupCommit(
    async (items: readonly number[]) => {
      if (items.includes(0)) throw failure;
      return items.map((item) => item * 10);
    },
    { maxWaiting: 2 },
    observer,
  );
  const both = [submit(1), submit(2)];
  await expect(submit(3)).rejects.toThrow(StoreOverloaded); // nothing was tried, so nothing is followed
  expect([count, settled]).toEqual([2, []]);
  await Promise.all(both);
  await expect(submit(0)).rejects.toBe(failure);
  expect(settled).toEqual([
    [0, 10, 2],
    [1, 20, 2],
    [2, failure, 1],
  ]);
});

test('an item without a follower is committed like any other', async () => {
  const observer = { watchQueue() {}, committed() {}, failed() {}, followItem: () => undefined };
  const { submit } = createGroupCommit((items: readonly number[]) => items, {}, observer);
  expect(await submit(1)).toBe(1);
});
