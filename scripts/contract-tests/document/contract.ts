import { fileURLToPath } from 'node:url';
import { ownMember } from '../../../src/contract/json/pointer.ts';
import { createArbitraries } from '../generation/arbitraries.ts';
import { createFlatten } from '../generation/flatten.ts';
import { createViolations } from '../generation/violations.ts';
import { createOracle } from '../oracle/oracle.ts';
import { createPlaceNames } from './place.ts';
import type { Sources } from './sources.ts';
import { createView, type View } from './view.ts';

/** A contract in one direction, with everything that is generated and judged by it. */
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
    /** All violations of a value that the schema accepts, with one thing wrong in each. */
    violationsOf: createViolations(flatten, oracle, arbitraryOf),
  };
};

/** A contract in one direction: for requests or for responses. */
export type Side = ReturnType<typeof createSide>;

/**
 * The sources in the version of OpenAPI that everything below reads. A file of another version is refused here; a document
 * in memory is taken as it is.
 */
const inOurVersion = (sources: Sources): Sources => {
  const { root, files } = sources;
  const version = String(ownMember(files.get(root), 'openapi'));
  if (version.startsWith('3.1.') || !root.startsWith('file:')) return sources;
  throw new Error(
    `${fileURLToPath(root)} is not an OpenAPI 3.1 document: run \`npm run generate\` to see why`,
  );
};

/** Reads a contract from its files alone: the service's own reading of it plays no part. */
export const createContract = (given: Sources) => {
  const sources = inOurVersion(given);
  return {
    request: createSide(createView(sources, 'request')),
    response: createSide(createView(sources, 'response')),
    nameOf: createPlaceNames(sources),
  };
};

/** A contract as the contract tests read it. */
export type Contract = ReturnType<typeof createContract>;
