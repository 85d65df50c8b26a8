import type { Side } from '../../document/contract.ts';
import type { Parameter } from '../../document/operations.ts';
import { coverPairs, createChoices, fewValuesOf } from '../../generation/pairs.ts';
import { type Json, putAt } from '../../values/json.ts';
import type { ValidRequest } from '../valid.ts';
import type { Case, PlainRequests } from './plain-requests.ts';

/** One thing that is combined with others: its levels, and how a level is put into a request. */
interface Factor {
  readonly levels: readonly (Json | undefined)[];
  readonly put: (request: ValidRequest, level: Json | undefined) => ValidRequest;
}

/** Makes the cases of pairs: optional parameters and members, there or not, and values of enums, each with each other. */
export const createPairCases = (side: Side, { canSendBody }: PlainRequests) => {
  const choicesIn = createChoices(side.flatten, side);

  const ofParameter = ([parameter, plain]: [Parameter, Json]): Factor => ({
    levels: [
      ...(parameter.isRequired || parameter.in === 'path' ? [] : [undefined]),
      ...(parameter.in === 'path' || typeof plain === 'object'
        ? [plain]
        : fewValuesOf(side.flatten(parameter.schema), plain).filter(
            (value) => value !== null && side.accepts(parameter.schema, value),
          )),
    ],
    put: (request, level) => {
      const parameters = new Map(request.parameters);
      if (level === undefined) parameters.delete(parameter);
      else parameters.set(parameter, level);
      return { ...request, parameters };
    },
  });

  const ofBody = ({ body }: ValidRequest): Factor[] => {
    if (!body || body.value instanceof Uint8Array || body.content.kind === 'xml') return [];
    return choicesIn(body.content.schema, body.value).map(({ way, levels }) => ({
      levels,
      put: (request, level) => {
        if (!request.body || request.body.value instanceof Uint8Array) return request;
        return { ...request, body: { ...request.body, value: putAt(request.body.value, way, level) } };
      },
    }));
  };

  return (plain: ReturnType<PlainRequests['forOperation']>, most: number): Case[] => {
    const full = plain.make(0, true);
    const factors = [...[...full.parameters].map(ofParameter), ...ofBody(full)].filter(
      ({ levels }) => levels.length > 1,
    );
    const rows = coverPairs(
      factors.map(({ levels }) => levels.length),
      most,
    );
    return rows.flatMap((row, index): Case[] => {
      const request = row.reduce<ValidRequest>(
        (made, level, factor) => factors[factor]?.put(made, factors[factor]?.levels[level]) ?? made,
        plain.make(index + 1, true),
      );
      const isValid = !request.body || canSendBody(request.body.content, request.body.value);
      return isValid ? [{ name: `combination ${index + 1} of what is optional`, request }] : [];
    });
  };
};
