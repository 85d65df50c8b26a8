import { checkWhole } from './whole-check.ts';

test('values of any schema are sent whole and arrive whole, without undeclared members', () =>
  checkWhole(12));
