import { oncePerKey, ownMember } from '@trellis/openapi/internal/json';
import { createContract } from '../../src/document/contract.ts';
import { operationsOf as listOperations, type Operation } from '../../src/document/operations.ts';
import type { Json } from '../../src/values/json.ts';
import { isSchema, type Schema } from '../../src/values/schema.ts';
import { sourcesOf } from '../sources.ts';

export { toJson } from '@trellis/openapi/internal/json';
export type { Json } from '../../src/values/json.ts';
export type { Schema } from '../../src/values/schema.ts';

/** The operations of a document in one piece. */
export const operationsOf = (document: object): Operation[] =>
  listOperations(createContract(sourcesOf(document)));

/** Everything that requests are made from, out of a document and one more schema. */
const sideOf = (document: object, schema: Schema) => {
  const components = ownMember(document, 'components');
  const schemas = { ...Object(ownMember(components, 'schemas')), Given: schema };
  const given = { ...document, components: { ...Object(components), schemas } };
  const { request } = createContract(sourcesOf(given));
  const taken = request.view.resolve('#/components/schemas/Given');
  if (!isSchema(taken)) throw new Error('not a schema');
  return { ...request, schema: taken };
};

/** Everything that requests are made from, out of a document and nothing else. */
export const fromDocument = (document: object) => {
  const sideFor = oncePerKey((schema: Schema) => sideOf(document, schema));
  return {
    arbitraryOf: (given: Schema) => {
      const { arbitraryOf, schema } = sideFor(given);
      return arbitraryOf(schema);
    },
    violationsOf: (given: Schema, valid: Json) => {
      const { violationsOf, schema } = sideFor(given);
      return violationsOf(schema, valid);
    },
    accepts: (given: Schema, value: unknown) => {
      const { accepts, schema } = sideFor(given);
      return accepts(schema, value);
    },
  };
};
