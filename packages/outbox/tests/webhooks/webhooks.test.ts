import { createDelivery, createWebhooks, type WebhookEvent } from '@trellis/outbox';
import { receivers } from './receiver.ts';

const startReceiver = receivers();

const CONTRACT = new URL('bookings.yaml', import.meta.url);

interface Booking {
  readonly id: bigint;
  readonly seat: string;
}

type Item<Content> = { readonly post: { readonly requestBody: { readonly content: Content } } };

/** The types that generated/openapi.ts has for the contract. */
interface Declared {
  newBooking: Item<{ 'application/json': Booking }>;
  'createBooking.paid': Item<{ 'application/vnd.paid+json': Booking }>;
  'createBooking.cancelled': { readonly post: { readonly requestBody?: never } };
  doorsOpen: { readonly post: { readonly requestBody?: never } };
  note: Item<{ 'text/plain': string }>;
  both: { readonly post: { readonly requestBody?: never } };
  unheardOf: { readonly post: { readonly requestBody?: never } };
}

/** Sends webhooks into an outbox that keeps them in a list, as one transaction after the other adds them. */
const createSender = (options: { production?: boolean } = {}) => {
  const added: { transaction: string; topic: string; key?: string; payload: WebhookEvent['payload'] }[] = [];
  const webhooks = createWebhooks<Declared, string>({
    contract: CONTRACT,
    outbox: { add: async (transaction, event) => added.push({ transaction, ...event }) },
    ...options,
  });
  return { added, send: webhooks.send };
};

const URL_OF_RECEIVER = 'https://example.com/hooks';

test('a webhook goes into the outbox within the transaction, and arrives exactly as the contract declares it', async () => {
  const { added, send } = createSender();
  const receiver = await startReceiver();
  const booking = { id: 9_223_372_036_854_775_807n, seat: '12A', pin: '1234', note: 'not declared' };
  await send('first transaction', 'newBooking', { url: receiver.url, key: 'seat 12A', body: booking });
  expect(added).toMatchObject([{ transaction: 'first transaction', topic: 'webhooks', key: 'seat 12A' }]);
  const deliver = createDelivery({ secrets: [], allow: ['127.0.0.1'] });
  for (const { payload } of added)
    await deliver({ id: 'msg_1', payload: JSON.parse(JSON.stringify(payload)) });
  const [{ method, headers, body } = { method: '', headers: {}, body: '' }] = receiver.received;
  expect([method, headers['content-type'], body]).toEqual([
    'POST',
    'application/json',
    '{"id":9223372036854775807,"seat":"12A"}',
  ]);
  expect(headers['webhook-id']).toBe('msg_1');
});

test('a callback is sent by the name of its operation and its own, wherever it is declared', async () => {
  const { added, send } = createSender();
  const body = { id: 1n, seat: '12A' };
  await send('', 'createBooking.paid', { url: URL_OF_RECEIVER, body });
  await send('', 'createBooking.cancelled', { url: URL_OF_RECEIVER });
  expect(added.map(({ payload }) => payload)).toEqual([
    {
      name: 'createBooking.paid',
      url: URL_OF_RECEIVER,
      method: 'PUT',
      mediaType: 'application/vnd.paid+json',
      body: '{"id":1,"seat":"12A"}',
    },
    { name: 'createBooking.cancelled', url: URL_OF_RECEIVER, method: 'POST', body: '' },
  ]);
});

test('outside production a body that breaks the contract is an error, and nothing is sent', async () => {
  const { added, send } = createSender();
  const unfit = { id: 2n ** 63n, seat: '12A' };
  await expect(send('', 'newBooking', { url: URL_OF_RECEIVER, body: unfit })).rejects.toThrow(
    'the webhook newBooking breaks the contract: body.id must be an int64',
  );
  await expect(send('', 'note', { url: URL_OF_RECEIVER, body: 'too long' })).rejects.toThrow('body');
  expect(added).toEqual([]);
  await send('', 'note', { url: URL_OF_RECEIVER, body: 'short' });
  const production = createSender({ production: true });
  await production.send('', 'note', { url: URL_OF_RECEIVER, body: 'too long' });
  expect(
    [...added, ...production.added].map(({ payload: { mediaType, body } }) => [mediaType, body]),
  ).toEqual([
    ['text/plain', 'short'],
    ['text/plain', 'too long'],
  ]);
});

test('a name that the contract does not have, or has for several requests, is an error with a remedy', async () => {
  const { send } = createSender();
  await expect(send('', 'unheardOf', { url: URL_OF_RECEIVER })).rejects.toThrow(
    'openapi.yaml has no webhook or callback unheardOf; run `npm run generate`',
  );
  await expect(send('', 'both', { url: URL_OF_RECEIVER })).rejects.toThrow(
    'openapi.yaml declares several requests for both; give each one a different name',
  );
});
