import { createBudget } from '../../../src/contract/body/budget.ts';

const OVERLOADED = { status: 503, code: 50302, message: 'the service is overloaded; try again' };

/** What taking so many bytes throws; nothing if they are to be had. */
const refusal = (share: { take(bytes: number): void }, bytes: number): unknown => {
  try {
    share.take(bytes);
    return undefined;
  } catch (error) {
    return error;
  }
};

test('all requests together may take what there is, to the last byte', () => {
  const openShare = createBudget(100);
  const [one, other] = [openShare(), openShare()];
  expect(refusal(one, 60)).toBeUndefined();
  expect(refusal(other, 40)).toBeUndefined();
  expect(refusal(one, 1)).toMatchObject(OVERLOADED);
  expect(refusal(other, 0)).toBeUndefined();
});

test('a refusal tells when to try again, and takes nothing', () => {
  const openShare = createBudget(100);
  const share = openShare();
  expect(refusal(share, 101)).toMatchObject({ headers: { 'Retry-After': '1' } });
  expect(refusal(share, 100)).toBeUndefined();
});

test('a request gives back all that it took and no more, however often it is told to', () => {
  const openShare = createBudget(100);
  const [one, other] = [openShare(), openShare()];
  one.take(30);
  one.take(20);
  other.take(50);
  one.release();
  one.release();
  expect(refusal(openShare(), 51)).toMatchObject(OVERLOADED);
  expect(refusal(openShare(), 50)).toBeUndefined();
});

test('a reply counts in place of its request, even where there is no room for it', () => {
  const openShare = createBudget(100);
  const [one, other] = [openShare(), openShare()];
  one.take(30);
  one.resize(10);
  expect(refusal(other, 91)).toMatchObject(OVERLOADED);
  expect(refusal(other, 90)).toBeUndefined();
  one.resize(50);
  other.release();
  expect(refusal(other, 51)).toMatchObject(OVERLOADED);
  one.release();
  expect(refusal(other, 100)).toBeUndefined();
});
