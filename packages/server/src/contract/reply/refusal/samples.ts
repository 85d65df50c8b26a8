import type { Violation } from '@trellis/openapi/json';
import { codeNameOf, PROBLEMS, type Refusal } from '../../problems/problem.ts';
import { titleOf } from '../../problems/titles.ts';

/** About as long as a message gets, which lists twenty violations. */
const LONG = 'what is wrong; '.repeat(300);

const VIOLATIONS: readonly Violation[] = [
  { place: 'query.limit', message: 'must be an integer' },
  { place: 'body.name', message: 'is required', pointer: '/name' },
];

/** The codes of a status: those that the service has, and one of an owner. */
const codesOf = (status: number): number[] => [
  ...Object.values(PROBLEMS).filter((code) => Math.floor(code / 100) === status),
  status * 100 + 99,
];

/** Refusals of a status that any other one resembles: short ones of every code, and a long one with violations. */
export const samplesOf = (status: number): readonly Refusal[] => {
  const short = codesOf(status).map((code) => ({
    code,
    codeName: codeNameOf(code),
    status,
    title: titleOf(status),
    message: 'something is wrong',
    violations: [],
  }));
  return short.flatMap((each, nth) =>
    nth === 0 ? [each, { ...each, message: LONG, violations: VIOLATIONS }] : [each],
  );
};
