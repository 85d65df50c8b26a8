import { Problem } from '../problems/problem.ts';

/** Marks a reply that is an example of the contract; its value is the operation that is not written yet. */
export const STUB_HEADER = 'X-Stub';

/**
 * A handler that is not written yet, for any operation. Outside production the contract answers with its own example; in
 * production a stub answers 501.
 */
export const stub = async (): Promise<never> => {
  throw new Problem('notImplemented', 'this operation is not written yet');
};
