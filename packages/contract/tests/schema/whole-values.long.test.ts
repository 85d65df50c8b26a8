import { checkWhole } from './whole-check.ts';

test(
  'values of many schemas are sent whole and arrive whole, without undeclared members',
  () => checkWhole(1000),
  600_000,
);
