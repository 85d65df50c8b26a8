import type { Contract } from '../document/contract.ts';
import { createFillUrls } from './fill-url.ts';
import { createInbox } from './inbox.ts';
import { outgoingOf } from './outgoing.ts';
import { openReceiver, type ReceiverPlace } from './receiver.ts';

/** Starts to receive the webhooks and callbacks of a contract, and to judge them; their signatures, if there is a secret. */
export const openWebhooks = async (contract: Contract, place: ReceiverPlace, secret?: string) => {
  const receiver = await openReceiver(place, (arrival) => inbox.take(arrival));
  const outgoing = outgoingOf(contract, receiver.url);
  const inbox = createInbox(contract, outgoing, secret);
  return { ...inbox, ...receiver, outgoing, fillUrls: createFillUrls(contract.request, outgoing) };
};

/** What receives webhooks and callbacks. */
export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;
