import { Problem } from '../problems/problem.ts';

/** Marks a reply that is an example of the contract; its value is the operation that is not written yet. */
export const STUB_HEADER = 'X-Stub';

/** Thrown by a handler that is not written yet. */
export class NotWritten extends Problem {
  constructor() {
    super('notImplemented', 'this operation is not written yet');
  }
}

/**
 * The reply of a handler that is not written yet, or such a handler itself. Outside production the contract answers with
 * its own example; in production a stub answers 501.
 *
 * @example
 * export const listThings: Handler<'listThings'> = stub;
 */
export const stub = async (): Promise<never> => {
  throw new NotWritten();
};
