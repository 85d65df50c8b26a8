import { StoreOverloaded } from '../../src/engines/errors.ts';
import { createSlots, type Slot } from '../../src/engines/slots.ts';

/** Whether it is the turn of a slot, once all that is ready has run. */
const hasTurn = (slot: Slot): Promise<boolean> =>
  Promise.race([slot.turn.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);

test('at most `count` slots work at once; the others wait, in order', async () => {
  const slots = createSlots(2, 10);
  const [one, two, three, four] = [1, 2, 3, 4].map(() => slots.enter());
  if (!one || !two || !three || !four) throw new Error('four have entered');
  expect(await Promise.all([one, two, three, four].map(hasTurn))).toEqual([true, true, false, false]);
  expect(slots.waiting()).toBe(2);
  two.leave();
  expect(await Promise.all([three, four].map(hasTurn))).toEqual([true, false]);
});

test('a slot that gives up while it waits takes no turn from others', async () => {
  const slots = createSlots(1, 10);
  const [one, two, three] = [slots.enter(), slots.enter(), slots.enter()];
  two.leave();
  one.leave();
  one.leave();
  expect(await Promise.all([two, three].map(hasTurn))).toEqual([false, true]);
});

test('with too many waiting, the next slot is refused', () => {
  const slots = createSlots(1, 1);
  slots.enter();
  const waiting = slots.enter();
  expect(() => slots.enter()).toThrow(StoreOverloaded);
  waiting.leave();
  slots.enter();
});

test('the last one out ends the drain', async () => {
  const slots = createSlots(1, 10);
  const [one, two] = [slots.enter(), slots.enter()];
  let isDrained = false;
  const drained = slots.drain().then(() => {
    isDrained = true;
  });
  one.leave();
  await two.turn;
  expect(isDrained).toBe(false);
  two.leave();
  await drained;
  await slots.drain();
});
