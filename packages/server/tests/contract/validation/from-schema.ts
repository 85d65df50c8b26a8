import { createContract } from '../../../../contract-tests/src/document/contract.ts';
import {
  operationsOf as listOperations,
  type Operation,
} from '../../../../contract-tests/src/document/operations.ts';
import { sourcesOf } from '../../../../contract-tests/src/document/sources.ts';
import type { Json } from '../../../../contract-tests/src/values/json.ts';
import { isSchema, type Schema } from '../../../../contract-tests/src/values/schema.ts';

export { toJson } from '@trellis/openapi/json';
export type { Json } from '../../../../contract-tests/src/values/json.ts';
export type { Schema } from '../../../../contract-tests/src/values/schema.ts';

/** The operations of a document in one piece. */
export const operationsOf = (document: object): Operation[] =>
  listOperations(createContract(sourcesOf(document)));

/** Everything that requests are made from, out of a document and nothing else. */
export const fromDocument = (document: object) => {
  const { request } = createContract(sourcesOf(document));
  const adopted = new Map<Schema, Schema>();
  const adopt = (schema: Schema): Schema => {
    const known = adopted.get(schema);
    if (known !== undefined) return known;
    const taken = request.view.adopt(schema);
    if (!isSchema(taken)) throw new Error('not a schema');
    adopted.set(schema, taken);
    return taken;
  };
  return {
    arbitraryOf: (schema: Schema) => request.arbitraryOf(adopt(schema)),
    violationsOf: (schema: Schema, valid: Json) => request.violationsOf(adopt(schema), valid),
    accepts: (schema: Schema, value: unknown) => request.accepts(adopt(schema), value),
  };
};
