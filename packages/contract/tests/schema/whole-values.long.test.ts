import { createWholeCheck } from './whole-check.ts';

const check = createWholeCheck();

test(
  'values of many schemas are sent whole and arrive whole, without undeclared members',
  () => check(1000),
  600_000,
);
