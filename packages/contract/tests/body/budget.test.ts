import { createBudget } from '@trellis/contract/internal';

const OVERLOADED = { status: 503, code: 50302, message: 'the service is overloaded; try again' };

/** Returns the error of taking bytes; `undefined` if there is room for them. */
const refusal = (share: { take(bytes: number): void }, bytes: number): unknown => {
  try {
    share.take(bytes);
    return undefined;
  } catch (error) {
    return error;
  }
};

test('all requests together may take the whole budget, to the last byte', () => {
  const openShare = createBudget(100);
  const [one, other] = [openShare(), openShare()];
  expect(refusal(one, 60)).toBeUndefined();
  expect(refusal(other, 40)).toBeUndefined();
  expect(refusal(one, 1)).toMatchObject(OVERLOADED);
  expect(refusal(other, 0)).toBeUndefined();
});

test('a refusal has a Retry-After header, and takes nothing', () => {
  const openShare = createBudget(100);
  const share = openShare();
  expect(refusal(share, 101)).toMatchObject({ headers: { 'Retry-After': '1' } });
  expect(refusal(share, 100)).toBeUndefined();
});

test('a request releases exactly the bytes that it took, even if it is released twice', () => {
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

test('a reply is counted in place of its request, even if it does not fit', () => {
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

describe('large requests', () => {
  const TOTAL = 400_000;
  const LARGE = 50_000;
  const openAt = () => {
    const openShare = createBudget(TOTAL);
    return (address: string) => openShare(() => address);
  };
  /** How many requests of one size are served for an address. */
  const countServed = (open: ReturnType<typeof openAt>, address: string, bytes: number): number => {
    let served = 0;
    while (refusal(open(address), bytes) === undefined) served += 1;
    return served;
  };

  test('leave a quarter to small ones', () => {
    const open = openAt();
    expect(refusal(open('a'), 300_001)).toMatchObject(OVERLOADED);
    expect(refusal(open('a'), 300_000)).toBeUndefined();
    expect(refusal(open('b'), 4097)).toMatchObject(OVERLOADED);
    expect(countServed(open, 'b', 4000)).toBe(25);
  });

  test('of one address take no more than they leave free', () => {
    const open = openAt();
    expect(countServed(open, 'a', LARGE)).toBe(3);
    expect(countServed(open, 'b', LARGE)).toBe(1);
    expect(countServed(open, 'c', LARGE)).toBe(1);
  });

  test('of one address give their share back', () => {
    const open = openAt();
    const shares = [1, 2, 3].map(() => open('a'));
    for (const share of shares) share.take(LARGE);
    expect(refusal(open('a'), LARGE)).toMatchObject(OVERLOADED);
    shares[0]?.release();
    expect(countServed(open, 'a', LARGE)).toBe(1);
  });

  test('have parts that grow and shrink by themselves', () => {
    const open = openAt();
    const share = open('a');
    const [one, other] = [share.part(), share.part()];
    one(100_000);
    other(200_000);
    expect(() => one(100_001)).toThrow('overloaded');
    one(0);
    expect(refusal(open('b'), 50_000)).toBeUndefined();
    share.release();
    other(0);
    expect(refusal(open('c'), 250_000)).toBeUndefined();
  });
});
