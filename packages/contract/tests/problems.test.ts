import { DECLARED_PROBLEMS, PROBLEMS } from '../src/problems/problem.ts';

const codes = [...Object.values(PROBLEMS), ...Object.values(DECLARED_PROBLEMS)];

test('every problem has a unique number', () => {
  expect(new Set(codes).size).toBe(codes.length);
});

test('every number is an HTTP status of an error times 100, plus a number from 1', () => {
  for (const code of codes) {
    expect([4, 5]).toContain(Math.floor(code / 10_000));
    expect(code % 100).toBeGreaterThan(0);
  }
});
