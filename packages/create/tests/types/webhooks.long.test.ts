import { complaintsOf, expectedOf, generatorFactory } from './compiler.ts';

const generate = generatorFactory();

const CONTRACT = `
paths:
  /bookings:
    post:
      operationId: createBooking
      responses: { '202': { description: Accepted } }
      callbacks:
        paid:
          '{$request.query.url}':
            put:
              operationId: createBooking
              requestBody:
                required: true
                content: { application/json: { schema: { $ref: '#/components/schemas/Booking' } } }
              responses: { '200': { description: Fine } }
        seen: { $ref: '#/components/callbacks/Seen' }
webhooks:
  newBooking:
    post:
      requestBody: { $ref: '#/components/requestBodies/Booking' }
      responses: { '200': { description: Fine } }
  doorsOpen: { $ref: '#/components/pathItems/DoorsOpen' }
components:
  pathItems:
    DoorsOpen:
      post: { responses: { '200': { description: Fine } } }
  callbacks:
    Seen:
      '{$request.query.url}':
        post:
          requestBody: { content: { application/json: { schema: { type: array, items: { type: string } } } } }
          responses: { '200': { description: Fine } }
  requestBodies:
    Booking:
      required: true
      content: { application/json: { schema: { $ref: '#/components/schemas/Booking' } } }
  schemas:
    Booking:
      type: object
      required: [id, seat]
      properties:
        id: { type: integer, format: int64, readOnly: true }
        seat: { type: string, default: window }
        pin: { type: string, writeOnly: true }
`;

const SENDING = `
import { createWebhooks, type WebhookOutbox } from '@trellis/outbox';
import type { Webhooks } from '../../generated/handler.ts';
interface Transaction { readonly mine: true }
declare const outbox: WebhookOutbox<Transaction>;
declare const tx: Transaction;
const webhooks: Webhooks<Transaction> = createWebhooks({ contract: 'openapi.yaml', outbox });
const url = 'https://example.com/hooks';
const booking = { id: 1n, seat: '12A' } as const;
const names: readonly string[] = ['window'];
export const sent = [
  webhooks.send(tx, 'newBooking', { url, body: booking }),
  webhooks.send(tx, 'newBooking', { url: new URL(url), key: '12A', body: booking }),
  webhooks.send(tx, 'createBooking.paid', { url, body: booking }),
  webhooks.send(tx, 'createBooking.seen', { url, body: names }),
  webhooks.send(tx, 'createBooking.seen', { url }),
  webhooks.send(tx, 'doorsOpen', { url }),
  webhooks.send(tx, 'oldBooking', { url }), // error: an undeclared name
  webhooks.send(tx, 'createBooking', { url }), // error: an operation, not a callback
  webhooks.send(tx, 'newBooking', { url }), // error: no body
  webhooks.send(tx, 'newBooking', { url, body: { id: 1, seat: '12A' } }), // error: no bigint
  webhooks.send(tx, 'newBooking', { url, body: { seat: '12A' } }), // error: no id
  webhooks.send(tx, 'newBooking', { url, body: { ...booking, pin: '1234' } }), // error: it would tell a secret
  webhooks.send(tx, 'createBooking.seen', { url, body: [1] }), // error: other items
  webhooks.send(tx, 'doorsOpen', { url, body: booking }), // error: it has no body
  webhooks.send({ mine: false }, 'doorsOpen', { url }), // error: another transaction
];
`;

test('webhooks and callbacks are sent with the bodies that the contract declares; anything else does not compile', async () => {
  const expected = expectedOf(SENDING);
  expect(expected).toHaveLength(9);
  expect(complaintsOf(await generate(CONTRACT), SENDING)).toEqual(expected);
}, 120_000);

test('a contract without webhooks has no name to send', async () => {
  const types = await generate(
    "paths: { /a: { get: { operationId: a, responses: { '204': { description: Fine } } } } }",
  );
  const sending = `
import type { Webhooks } from '../../generated/handler.ts';
declare const webhooks: Webhooks<undefined>;
export const sent = webhooks.send(undefined, 'anything', { url: '' }); // error: nothing is declared
`;
  expect(complaintsOf(types, sending)).toEqual(expectedOf(sending));
}, 120_000);
