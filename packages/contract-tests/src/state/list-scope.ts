import type { Schemas } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';

/** Names of parameters that change the order of a list. */
const ORDERS = /^(?:sort|order|dir(?:ection)?$|asc|desc|reverse)/i;

/**
 * Lists query parameters that always apply to a list, because they are required or have a default. Each may filter the
 * list in a way that only the service knows. Parameters for paging and order are excluded.
 */
export const scopeOf = (
  { flatten }: Schemas,
  { parameters }: Operation,
  isPaging: (parameter: Parameter) => boolean,
): string[] =>
  parameters
    .filter((each) => each.in === 'query' && !isPaging(each) && !ORDERS.test(each.name))
    .filter(
      ({ isRequired, hasToldDefault, schema }) =>
        isRequired || hasToldDefault || flatten(schema).some((flat) => flat.default !== undefined),
    )
    .map(({ name }) => name);
