import { pointerSteps } from '@trellis/openapi/internal/json';
import type { Contract, Schemas } from '../document/contract.ts';
import type { Operation } from '../document/operations.ts';
import type { ValidRequest } from '../requests/valid.ts';
import { putAt } from '../values/json.ts';
import { createInbox } from './inbox.ts';
import { type Outgoing, outgoingOf } from './outgoing.ts';
import { openReceiver, type ReceiverPlace } from './receiver.ts';

/** Puts the URL of a callback into a valid request, if the contract allows it. */
const fillUrl = (
  { accepts }: Schemas,
  operation: Operation,
  valid: ValidRequest,
  { place, url }: Outgoing,
): ValidRequest => {
  const { body, parameters } = valid;
  if (place?.in === 'body') {
    if (!body || body.value instanceof Uint8Array) return valid;
    const value = putAt(body.value, pointerSteps(place.name), url) ?? body.value;
    return accepts(body.content.schema, value) ? { ...valid, body: { ...body, value } } : valid;
  }
  const parameter = operation.parameters.find((each) => each.in === place?.in && each.name === place.name);
  if (!parameter || !accepts(parameter.schema, url)) return valid;
  return { ...valid, parameters: new Map([...parameters, [parameter, url]]) };
};

/** Opens a receiver that judges the webhooks and callbacks of a contract, and their signatures if there is a secret. */
export const openWebhooks = async (contract: Contract, place: ReceiverPlace, secret?: string) => {
  const receiver = await openReceiver(place, (arrival) => inbox.take(arrival));
  const outgoing = outgoingOf(contract, receiver.url);
  const inbox = createInbox(contract, outgoing, secret);
  return {
    ...inbox,
    ...receiver,
    outgoing,
    /** Puts the receiver's URLs into valid requests that ask for callbacks. */
    fillUrls: (operation: Operation, valid: ValidRequest): ValidRequest =>
      outgoing
        .filter(({ calledBy }) => calledBy === operation.id)
        .reduce((filled, each) => fillUrl(contract.request, operation, filled, each), valid),
  };
};

/** A receiver of webhooks and callbacks. */
export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;
