import { DEFAULT_LIMITS } from '../../src/outbox/limits.ts';
import { createReceivers } from '../../src/outbox/receivers.ts';

test('a query leaves out at most 1,000 receivers, however many do not answer', () => {
  const receivers = createReceivers(DEFAULT_LIMITS);
  for (let number = 0; number < 40_000; number += 1) receivers.of(`host ${number}`).begin()('unanswered');
  expect(receivers.closed(true)).toHaveLength(1000);
  expect(receivers.served().length).toBeLessThanOrEqual(1000);
  expect(receivers.of('host 39999').isFree).toBe(false); // the latest are paused
  expect(receivers.of('host 0').isFree).toBe(true);
});

test('a receiver with an attempt under way is not forgotten', () => {
  const receivers = createReceivers({ ...DEFAULT_LIMITS, perReceiver: 1 });
  receivers.of('slow').begin();
  for (let number = 0; number < 2000; number += 1) receivers.of(`host ${number}`).begin()('unanswered');
  expect(receivers.of('slow').isFree).toBe(false);
});
