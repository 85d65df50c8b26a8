import { pointerSteps } from '@trellis/openapi/internal/json';
import type { Schemas } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { putAt } from '../values/json.ts';
import type { Outgoing } from './outgoing.ts';

/** Puts the receiver's URL into valid requests that ask for a callback, if the contract allows it. */
export const createFillUrls = ({ accepts }: Schemas, outgoing: readonly Outgoing[]) => {
  const fill = (operation: Operation, valid: ValidRequest, { place, url }: Outgoing): ValidRequest => {
    const { body, parameters } = valid;
    if (place?.in === 'body') {
      if (!body || body.value instanceof Uint8Array) return valid;
      const value = putAt(body.value, pointerSteps(place.name), url);
      return accepts(body.content.schema, value) ? { ...valid, body: { ...body, value } } : valid;
    }
    const parameter = operation.parameters.find((each) => each.in === place?.in && each.name === place.name);
    if (!parameter || !accepts(parameter.schema, url)) return valid;
    return { ...valid, parameters: new Map([...parameters, [parameter, url]]) };
  };
  return (operation: Operation, valid: ValidRequest): ValidRequest =>
    outgoing
      .filter(({ calledBy }) => calledBy === operation.id)
      .reduce((filled, each) => fill(operation, filled, each), valid);
};
