import { createArbitraries } from '../generation/arbitraries.ts';
import { createFlatten } from '../generation/flatten.ts';
import { createViolations } from '../generation/violations.ts';
import { createOracle } from '../oracle/oracle.ts';
import { createPlaceNames } from './place.ts';
import type { Sources } from './sources.ts';
import { createView, type View } from './view.ts';

/** One side's reading of a contract, and everything that is made and judged by it. */
const createSide = (view: View) => {
  const flatten = createFlatten(view.resolve);
  const oracle = createOracle(view);
  const arbitraryOf = createArbitraries(flatten, oracle);
  return {
    view,
    flatten,
    ...oracle,
    /** Arbitraries of the values that a schema accepts. */
    arbitraryOf,
    /** Every single violation of a value that the schema accepts. */
    violationsOf: createViolations(flatten, oracle, arbitraryOf),
  };
};

/** One side's reading of a contract. */
export type Side = ReturnType<typeof createSide>;

/** A contract, out of its files and nothing else: nothing of the service has a part in it. */
export const createContract = (sources: Sources) => ({
  request: createSide(createView(sources, 'request')),
  response: createSide(createView(sources, 'response')),
  nameOf: createPlaceNames(sources),
});

/** A contract as the tests read it. */
export type Contract = ReturnType<typeof createContract>;
