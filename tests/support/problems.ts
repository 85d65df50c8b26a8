import { PROBLEMS as CONTRACT_PROBLEMS } from '../../packages/contract/src/problems/problem.ts';
import { AUTH_PROBLEMS } from '../../packages/server/src/auth/unavailable.ts';
import { STORE_PROBLEMS } from '../../packages/server/src/program/store.ts';
import { HANDLER_PROBLEMS } from '../../src/handlers/problems.ts';

/** The tables of error codes, each by its owner. */
export const PROBLEM_TABLES = [CONTRACT_PROBLEMS, AUTH_PROBLEMS, HANDLER_PROBLEMS, STORE_PROBLEMS];

/** Every error code of the service, by name. */
export const PROBLEMS = {
  ...CONTRACT_PROBLEMS,
  ...AUTH_PROBLEMS,
  ...HANDLER_PROBLEMS,
  ...STORE_PROBLEMS,
};

/** The name of an error. */
export type ProblemName = keyof typeof PROBLEMS;

/** Every error code, in order. */
export const CODES: readonly number[] = Object.values(PROBLEMS).toSorted((one, other) => one - other);
