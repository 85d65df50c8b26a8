import { doByHalves } from '../../src/engines/by-halves.ts';

/** Doubles numbers, unless one number is negative; records its calls. */
const createDoubler = () => {
  const seen: (readonly number[])[] = [];
  const run = (items: readonly number[]) =>
    doByHalves<number, number | string>(
      items,
      async (some) => {
        seen.push(some);
        const culprit = some.find((item) => item < 0);
        if (culprit !== undefined) throw new Error(`no ${culprit}`);
        return some.map((item) => item * 2);
      },
      {
        isOfItem: (error) => error instanceof Error && error.message !== 'no -999',
        toResult: (error) => String(error),
      },
    );
  return { run, seen };
};

const numbers = (count: number, culprits: readonly number[] = []) =>
  Array.from({ length: count }, (_, index) => (culprits.includes(index) ? -index : index));

test('where nothing is wrong, everything is done at once', async () => {
  const { run, seen } = createDoubler();
  expect(await run(numbers(1024))).toEqual(numbers(1024).map((item) => item * 2));
  expect(seen).toHaveLength(1);
  expect(await run([])).toEqual([]);
});

test.each([[[5]], [[1, 1023]], [[7, 8, 500, 501]]])(
  'of 1024 items only %j fail, each with its own reason, and few attempts are made',
  async (culprits) => {
    const { run, seen } = createDoubler();
    const results = await run(numbers(1024, culprits));
    expect(results).toEqual(
      numbers(1024).map((item) => (culprits.includes(item) ? `Error: no -${item}` : item * 2)),
    );
    expect(seen.length).toBeLessThanOrEqual(1 + 2 * culprits.length * Math.log2(1024));
  },
);

test('where every item fails, there are at most two attempts for each', async () => {
  const { run, seen } = createDoubler();
  await run(Array.from({ length: 1024 }, (_, index) => -1 - index / 2048));
  expect(seen.length).toBeLessThan(2 * 1024);
});

test('items are done in their order', async () => {
  const { run, seen } = createDoubler();
  await run(numbers(8, [3]));
  const done = seen.filter((some) => some.every((item) => item >= 0)).flat();
  expect(done).toEqual([0, 1, 2, 4, 5, 6, 7]);
});

test('a failure that belongs to no item is not looked for', async () => {
  const { run, seen } = createDoubler();
  await expect(run([1, 2, -999, 4])).rejects.toThrow('no -999');
  expect(seen).toHaveLength(1);
});
