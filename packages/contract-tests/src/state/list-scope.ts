import type { Side } from '../document/contract.ts';
import type { Operation, Parameter } from '../document/operations.ts';
import type { Draft } from '../requests/draft.ts';
import { identityOf, type Json, type Members } from '../values/json.ts';
import { ownOf } from '../values/schema.ts';

/** Parameters that change the order of a list. */
const ORDERS = /^(?:sort|order|dir(?:ection)?$|asc|desc|reverse)/i;
/** Parameters that choose what a list shows of each thing. */
const PROJECTIONS = /^(?:fields|select|include|exclude|expand|embed|format|view|lang|locale|pretty|with)/i;
/** Defaults that say nothing of a thing, unless it has a member of that name. */
const NEUTRAL = new Set(['', 'all', 'any', '*', '[]', 'null', 'false']);

/** Stands for a default that only a description names: no thing is known to fit it. */
const TOLD = 'the default of its description';

const isNeutral = (value: Json): boolean =>
  NEUTRAL.has(typeof value === 'string' ? value.toLowerCase() : identityOf(value));

/** Finds how a list is changed by query parameters that are required, or have a default that applies if they are not sent. */
export const createScopeOf =
  ({ flatten }: Side, isPaging: (parameter: Parameter) => boolean) =>
  (list: Operation, sent: Draft['parameters']) => {
    const applied = list.parameters
      .filter((each) => each.in === 'query' && !isPaging(each) && !ORDERS.test(each.name))
      .flatMap((each): { readonly name: string; readonly value: Json }[] => {
        const fallback = flatten(each.schema).find((flat) => flat.default !== undefined)?.default;
        const value = sent.get(each) ?? fallback ?? (each.hasToldDefault ? TOLD : undefined);
        return value === undefined ? [] : [{ name: each.name, value }];
      });
    const filters = applied.filter(({ name }) => !PROJECTIONS.test(name));
    return {
      /** The parameters that choose what is shown of each thing. */
      projections: applied.flatMap(({ name }) => (PROJECTIONS.test(name) ? [name] : [])),
      /** The parameters that may leave things out. */
      filters: filters.flatMap(({ name, value }) => (isNeutral(value) ? [] : [name])),
      /** Whether nothing keeps a thing with these members out of the list. */
      includes: (expected: readonly { readonly value: Members }[]): boolean =>
        filters.every(({ name, value }) => {
          const own = expected.map((each) => ownOf(each.value, name)).find((each) => each !== undefined);
          return own === undefined ? isNeutral(value) : identityOf(own) === identityOf(value);
        }),
    };
  };

/** How query parameters that always apply change a list. */
export type ListScope = ReturnType<ReturnType<typeof createScopeOf>>;
