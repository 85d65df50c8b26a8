import { jest } from '@jest/globals';
import { retry } from '@trellis/data';

afterEach(() => {
  jest.restoreAllMocks();
});

test('trying ends in time although the wall clock is set back meanwhile', async () => {
  const hourAgo = Date.now() - 3_600_000;
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts === 2) jest.spyOn(Date, 'now').mockReturnValue(hourAgo);
    throw new Error('away');
  };
  const began = performance.now();
  await expect(retry(work, { isTransient: () => true, within: 100 })).rejects.toThrow('away');
  expect(attempts).toBeGreaterThan(2);
  expect(performance.now() - began).toBeLessThan(2000);
}, 4000);
