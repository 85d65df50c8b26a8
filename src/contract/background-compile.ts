import type { ContractOperation } from './operations.ts';

/** How long no request must have come, in milliseconds, before compilation starts or goes on. */
const QUIET = 50;

/**
 * Compiles one operation after the other while no requests come, so that the first request to an operation need not wait
 * for it. Gives back the function to call for each request: a thousand operations take seconds, which belong to clients
 * as long as there are any.
 */
export const compileInBackground = (operations: readonly ContractOperation[]): (() => void) => {
  const rest = operations.values();
  let isBusy = false;
  const compileNext = (): void => {
    if (isBusy) {
      isBusy = false;
      setTimeout(compileNext, QUIET).unref();
      return;
    }
    const { value: next } = rest.next();
    if (!next) return;
    try {
      next.compile();
    } catch {} // the first request to it fails the same way, and is logged
    setImmediate(compileNext).unref();
  };
  setTimeout(compileNext, QUIET).unref();
  return () => {
    isBusy = true;
  };
};
