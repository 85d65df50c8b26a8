import { createArbitraries } from './generation/arbitraries.ts';
import { createOracle } from './generation/oracle.ts';
import { createFlatten } from './generation/schema.ts';
import { createViolations } from './generation/violations.ts';

export { type Json, toJson } from './generation/json.ts';
export { type DeclaredOperation, operationsOf } from './generation/operations.ts';
export type { Schema } from './generation/schema.ts';
export type { Violation } from './generation/wrong-values.ts';

/** Everything that tests are made from, out of a document and nothing else. */
export const fromDocument = (document: object) => {
  const flatten = createFlatten(document);
  const accepts = createOracle(document);
  return {
    /** Arbitraries of the values that a schema accepts. */
    arbitraryOf: createArbitraries(flatten, accepts),
    /** Every single violation of a value that the schema accepts. */
    violationsOf: createViolations(flatten, accepts),
    /** Whether the schema accepts a value, by an Ajv that the service has no part in. */
    accepts,
  };
};
