import { codeNameOf, type Refusal } from '../../problems/problem.ts';
import { titleOf } from '../../problems/titles.ts';
import type { Violation } from '../../problems/violations.ts';

/** About as long as a message gets, which lists twenty violations. */
const LONG = 'what is wrong; '.repeat(300);

const VIOLATIONS: readonly Violation[] = [
  { place: 'query.limit', message: 'must be an integer' },
  { place: 'body.name', message: 'is required', pointer: '/name' },
];

/** Refusals of a status that any other one resembles: a short one and a long one, without violations and with some. */
export const samplesOf = (status: number): readonly Refusal[] => {
  const code = status * 100 + 1;
  const common = { code, codeName: codeNameOf(code), status, title: titleOf(status) };
  return [
    { ...common, message: 'something is wrong', violations: [] },
    { ...common, message: LONG, violations: VIOLATIONS },
  ];
};
