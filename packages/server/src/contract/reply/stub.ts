import { Problem } from '../problems/problem.ts';

/** Marks a reply that is an example of the contract; its value is the operation that is not written yet. */
export const STUB_HEADER = 'X-Stub';

/** Says why a stub does not answer with the example that the contract gives. */
export const STUB_NOTE_HEADER = 'X-Stub-Note';

/**
 * A handler that is not written yet, for any operation. Outside production the contract answers with its own example; in
 * production a stub answers 501.
 */
export const stub = async (): Promise<never> => {
  throw new Problem('notImplemented', 'this operation is not written yet');
};
