import { createWholeCheck } from './whole-check.ts';

const check = createWholeCheck();

test('values of any schema are sent whole and arrive whole, without undeclared members', () => check(12));
