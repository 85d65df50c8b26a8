import type { Operation, Parameter } from '../../document/operations.ts';
import type { createVariations } from '../../generation/awkward/variations.ts';
import { type Json, putAt, textOf } from '../../values/json.ts';
import { type Case, inTurns, type PlainOfOperation, type PlainRequests } from './plain-requests.ts';

/** Text in a path that routers and firewalls treat differently, although RFC 3986, section 3.3 allows it encoded. */
const ODD_IN_PATHS = /[/\\;%?#\p{Cc}\u2028\u2029]|^[. ]|[. ]$|.{100}/su;

/** Creates the cases of parameters: each notable value, in an otherwise minimal request. */
export const createParameterCases =
  ({ canSend }: PlainRequests, variationsOf: ReturnType<typeof createVariations>) =>
  (operation: Operation, plain: PlainOfOperation): Case[] => {
    const casesOf = (parameter: Parameter, value: Json): Case[] => {
      const { in: where, name, schema, style, explode, isJson, isRequired } = parameter;
      const root = `${where}.${name}`;
      const isRepeatable = where === 'query' && style === 'form' && explode && !isJson;
      const variations = variationsOf(schema, value, root)
        .filter(({ written }) => written === undefined)
        .map(({ place, path, what, leaf, mayRefuse = false }) => ({
          name: `${place} ${what}`,
          other: putAt(value, path, leaf),
          mayRefuse,
        }))
        .filter(({ other }) => other !== undefined && canSend.parameter(operation, parameter, other));
      const alone = { name: `${root} as the only optional parameter`, other: value, mayRefuse: false };
      const twice = { name: `${root} twice`, other: [value, value], mayRefuse: true };
      return [
        ...(isRequired ? [] : [alone]),
        ...variations,
        ...(isRepeatable && typeof value !== 'object' ? [twice] : []),
      ].map(({ name: what, other = null, mayRefuse }, index): Case => {
        const request = plain.make(index + 1, false);
        const isOdd = where === 'path' && ODD_IN_PATHS.test(textOf(other));
        return {
          name: what,
          request: { ...request, parameters: new Map(request.parameters).set(parameter, other) },
          keepsPath: where === 'path',
          mayRefuse: mayRefuse || isOdd,
        };
      });
    };
    return inTurns([...plain.make(0, true).parameters].map(([each, value]) => casesOf(each, value)));
  };
