import { pointerSteps } from '@trellis/openapi/json';
import type { Side } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { isObject, type Json } from '../values/json.ts';
import type { Outgoing } from './outgoing.ts';

/** A value with a text at a pointer; `undefined` if no object or list is there to hold it. */
const withTextAt = (value: Json | undefined, steps: readonly string[], text: string): Json | undefined => {
  const [step, ...rest] = steps;
  if (step === undefined) return text;
  const held = isObject(value) || Array.isArray(value) ? Object.entries(value) : undefined;
  const member = held && withTextAt(new Map(held).get(step), rest, text);
  if (!held || member === undefined) return undefined;
  if (!Array.isArray(value)) return Object.fromEntries([...held, [step, member]]);
  return value.map((item, index) => (`${index}` === step ? member : item));
};

/** Puts the receiver's URL into valid requests where a callback takes its own from, if the contract lets it stand there. */
export const createFillUrls = ({ accepts }: Side, outgoing: readonly Outgoing[]) => {
  const fill = (operation: Operation, valid: ValidRequest, { place, url }: Outgoing): ValidRequest => {
    const { body, parameters } = valid;
    if (place?.in === 'body') {
      if (!body || body.value instanceof Uint8Array) return valid;
      const value = withTextAt(body.value, pointerSteps(place.name), url);
      const isValid = value !== undefined && accepts(body.content.schema, value);
      return isValid ? { ...valid, body: { ...body, value } } : valid;
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
