import { adaptDocument, isServed } from '../../../src/contract/document/adapt/adapt.ts';
import { createUpgrade, isOld } from '../../../src/contract/document/adapt/upgrade.ts';
import { rewriteSchemas } from '../../../src/contract/document/rewrite.ts';
import { createArbitraries } from '../generation/arbitraries.ts';
import { createFlatten } from '../generation/flatten.ts';
import { createViolations } from '../generation/violations/violations.ts';
import { createOracle } from '../oracle/oracle.ts';
import { createPlaceNames } from './place.ts';
import { type Sources, showUrl } from './sources.ts';
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
    violationsOf: createViolations(flatten, oracle, arbitraryOf, view.resolve),
  };
};

/** A contract in one direction: for requests or for responses. */
export type Side = ReturnType<typeof createSide>;

/**
 * The sources as a document of OpenAPI 3.1, which everything below reads. Which operations are served, and what leftovers
 * of other versions mean, is decided by the code that the service uses too; what a request or a reply must be is not.
 */
const inOurVersion = (sources: Sources): Sources => {
  const { root, files } = sources;
  const document = files.get(root);
  if (root.startsWith('memory:')) return sources; // a document in memory is taken as it is
  if (!isServed(document))
    throw new Error(`${showUrl(root)} is not an OpenAPI document of version 3.0, 3.1 or 3.2`);
  if (files.size === 1) return { ...sources, files: new Map([[root, adaptDocument(document).document]]) };
  const upgrade = createUpgrade(isOld(document), () => {});
  const upgraded = [...files].map(([url, file]) => [url, rewriteSchemas(file, upgrade)] as const);
  return { ...sources, files: new Map(upgraded) };
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
