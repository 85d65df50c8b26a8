import type { Side } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';

/** Parameters that change the order of a list. */
const ORDERS = /^(?:sort|order|dir(?:ection)?$|asc|desc|reverse)/i;

/**
 * Names the query parameters that always apply to a list, because they are required or have a default: any may leave
 * things out, or choose what is shown of them, and only the service knows how. Those for paging and order do not.
 */
export const scopeOf = (
  { flatten }: Side,
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
