import { toJson } from '@trellis/openapi/internal/json';
import type { Operation, Parameter } from '../../document/operations.ts';
import type { createVariations } from '../../generation/awkward/variations.ts';
import { type Json, textOf } from '../../values/json.ts';
import { type Case, inTurns, type PlainRequests } from './plain-requests.ts';

/** Text in a path that routers and firewalls treat differently, although RFC 3986, section 3.3 allows it encoded. */
const ODD_IN_PATHS = /[/\\;%?#\p{Cc}\u2028\u2029]|^[. ]|[. ]$|.{100}/su;

/** Creates the cases of parameters: each notable value, in an otherwise minimal request. */
export const createParameterCases =
  ({ canSendParameter }: PlainRequests, variationsOf: ReturnType<typeof createVariations>) =>
  (operation: Operation, plain: ReturnType<PlainRequests['forOperation']>): Case[] => {
    const full = plain.make(0, true);
    const ofParameter = (parameter: Parameter, value: Json): Case[] => {
      const place = `${parameter.in}.${parameter.name}`;
      const put =
        (name: string, other: Json, mayRefuse: boolean) =>
        (count: number): Case => {
          const request = plain.make(count, false);
          const parameters = new Map(request.parameters).set(parameter, other);
          const isOdd =
            parameter.in === 'path' &&
            ODD_IN_PATHS.test(typeof other === 'object' ? toJson(other) : textOf(other));
          return {
            name,
            request: { ...request, parameters },
            keepsPath: parameter.in === 'path',
            mayRefuse: mayRefuse || isOdd,
          };
        };
      const isRepeatable =
        parameter.in === 'query' && parameter.style === 'form' && parameter.explode && !parameter.isJson;
      const made = [
        ...(parameter.isRequired ? [] : [put(`${place} as the only optional parameter`, value, false)]),
        ...variationsOf(parameter.schema, value, place).flatMap(
          ({ place: there, what, leaf, written, mayRefuse, put: into }) => {
            const other = into(value, leaf, false);
            if (written !== undefined || !canSendParameter(operation, parameter, other)) return [];
            return [put(`${there} ${what}`, other, mayRefuse)];
          },
        ),
        ...(isRepeatable && typeof value !== 'object' ? [put(`${place} twice`, [value, value], true)] : []),
      ];
      return made.map((make, index) => make(index + 1));
    };
    return inTurns([...full.parameters].map(([parameter, value]) => ofParameter(parameter, value)));
  };
