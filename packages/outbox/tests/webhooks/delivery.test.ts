import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { jest } from '@jest/globals';
import { createDelivery, DeliveryFailed, type DeliveryOptions, type WebhookEvent } from '@trellis/outbox';
import { receivers } from './receiver.ts';

const startReceiver = receivers();

const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, or').toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

/** The changes of an event that a test makes. */
type More = Partial<WebhookEvent['payload']> & { readonly id?: string };

const eventFor = (url: string, { id = 'msg_1', ...more }: More = {}) => ({
  id,
  payload: {
    name: 'sold',
    url,
    method: 'POST',
    mediaType: 'application/json',
    body: '{"id":9007199254740993}',
    ...more,
  },
});

const deliverTo = (url: string, options: Partial<DeliveryOptions> = {}, more: More = {}) =>
  createDelivery({ secrets: [SECRET], allow: ['127.0.0.1'], ...options })(eventFor(url, more));

/** Why a delivery has failed. */
const failureOf = async (delivery: Promise<void>): Promise<DeliveryFailed> => {
  const error: unknown = await delivery.then(
    () => undefined,
    (reason) => reason,
  );
  if (error instanceof DeliveryFailed) return error;
  throw new Error(`it has not failed, but ${error}`);
};

const answerOf =
  (status: number, headers: Record<string, string> = {}) =>
  (reply: ServerResponse) =>
    void reply.writeHead(status, headers).end('no matter');

test('the event arrives unchanged, with the headers of Standard Webhooks', async () => {
  const receiver = await startReceiver();
  const before = Math.floor(Date.now() / 1000);
  await deliverTo(receiver.url, {}, { method: 'PUT', body: '{"name":"Łódź"}' });
  const [{ method, url, headers, body } = { method: '', url: '', headers: {}, body: '' }] = receiver.received;
  expect({ method, url, body }).toEqual({ method: 'PUT', url: '/hooks', body: '{"name":"Łódź"}' });
  expect(headers['content-type']).toBe('application/json');
  expect(headers['content-length']).toBe('18');
  expect(headers['webhook-id']).toBe('msg_1');
  const timestamp = headers['webhook-timestamp'];
  expect(Number(timestamp) - before).toBeLessThan(60);
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signature}`);
});

test('the signature equals the signature in the example of Standard Webhooks', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(1_614_265_330_000);
  try {
    const receiver = await startReceiver();
    const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
    const event = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    await deliverTo(receiver.url, { secrets }, event);
    expect(receiver.received[0]?.headers).toMatchObject({
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  } finally {
    clock.mockRestore();
  }
});

test('during a rotation it is signed with both secrets; without any it is not signed', async () => {
  const receiver = await startReceiver();
  await deliverTo(receiver.url, {
    secrets: async ({ name }) => (name === 'sold' ? [SECRET, OLD_SECRET] : []),
  });
  await deliverTo(receiver.url, { secrets: [SECRET] });
  await deliverTo(receiver.url, { secrets: [OLD_SECRET] });
  await deliverTo(receiver.url, { secrets: [] });
  const signatures = receiver.received.map(({ headers }) => headers['webhook-signature']);
  expect(signatures[0]).toMatch(/^v1,\S+ v1,\S+$/);
  expect(new Set(`${signatures[0]}`.split(' ')).size).toBe(2);
  expect(signatures[3]).toBeUndefined();
  expect(receiver.received[3]?.headers['webhook-id']).toBe('msg_1');
});

const MALFORMED = [
  'hunter2',
  `whsec_${Buffer.alloc(8).toString('base64')}`,
  `whsec_${Buffer.alloc(32).toString('base64')}!`,
  `whsec_${Buffer.alloc(32, 255).toString('base64url')}`,
  `whsec_ ${Buffer.alloc(32).toString('base64')}`,
];

test.each(MALFORMED)('a malformed secret is refused at the start, and not shown: %s', (secret) => {
  const create = () => createDelivery({ secrets: [SECRET, secret] });
  expect(create).toThrow(
    'a webhook secret is malformed: write `whsec_` and the base64 of 24 to 64 random bytes',
  );
  expect(create).toThrow(expect.objectContaining({ message: expect.not.stringContaining(secret) }));
});

test('an unset secret is refused at the start, with the remedy', () => {
  expect(() => createDelivery({ secrets: [process.env.UNSET_SECRET ?? ''] })).toThrow(
    /^a webhook secret is empty \(is its setting unset\?\): .* `whsec_\$\(openssl rand -base64 32\)`$/,
  );
});

test('a malformed secret of one receiver fails its delivery, before a connection', async () => {
  const receiver = await startReceiver();
  const error = await failureOf(deliverTo(receiver.url, { secrets: () => ['hunter2'] }));
  expect(error.message).toContain('openssl rand');
  expect(error).toMatchObject({ isPermanent: false, isReceiverUp: true });
  expect(receiver.connections()).toBe(0);
});

test.each([200, 202, 204, 299])('%i is a success', async (status) => {
  const receiver = await startReceiver(answerOf(status));
  await expect(deliverTo(receiver.url)).resolves.toBeUndefined();
});

test.each([
  [301, false],
  [400, false],
  [404, false],
  [410, true],
  [500, false],
])('%i is a failure; whether it is permanent: %s', async (status, isPermanent) => {
  const other = await startReceiver();
  const receiver = await startReceiver(answerOf(status, { location: other.url }));
  const error = await failureOf(deliverTo(receiver.url));
  expect(error).toMatchObject({ isPermanent, retryAfter: undefined });
  expect(error.message).toBe(`127.0.0.1:${receiver.port} answered ${status}`);
  expect(other.connections()).toBe(0); // a redirect is not followed
});

test('the receiver sets the time of the next attempt, in seconds or as a date', async () => {
  const date = new Date(Date.now() + 90_000).toUTCString();
  const times = await Promise.all(
    ['120', date, 'soon'].map(async (text) => {
      const receiver = await startReceiver(answerOf(503, { 'retry-after': text }));
      return (await failureOf(deliverTo(receiver.url))).retryAfter;
    }),
  );
  expect(times[0]).toBe(120_000);
  expect(times[1]).toBeGreaterThan(60_000);
  expect(times[1]).toBeLessThanOrEqual(90_000);
  expect(times[2]).toBeUndefined();
});

test('a receiver that does not answer in time, or is down, is tried again', async () => {
  const silent = await startReceiver(() => {});
  const late = await failureOf(deliverTo(silent.url, { timeout: 50 }));
  expect(late).toMatchObject({
    isPermanent: false,
    message: `127.0.0.1:${silent.port}: no reply within 50 ms`,
  });
  const { url, close } = await startReceiver();
  await close();
  const away = await failureOf(deliverTo(url));
  expect(away.isPermanent).toBe(false);
  expect(away.message).toContain('ECONNREFUSED');
});

test('aborting the signal ends the attempt', async () => {
  const stop = new AbortController();
  const silent = await startReceiver(() => stop.abort());
  const deliver = createDelivery({ secrets: [], allow: ['127.0.0.1'] });
  const error = await failureOf(deliver(eventFor(silent.url), { signal: stop.signal }));
  expect(error.isPermanent).toBe(false);
});

test('the status decides, even if the body of the reply is endless, unfinished or cut off', async () => {
  let sent = 0;
  let isCut = false;
  const endless = await startReceiver((reply) => {
    reply.writeHead(200).on('close', () => {
      isCut = true;
    });
    const more = (): void => {
      while (!reply.destroyed && reply.write(Buffer.alloc(8192))) sent += 8192;
      sent += 8192;
      reply.once('drain', more);
    };
    more();
  });
  await deliverTo(endless.url);
  expect(sent).toBeLessThan(10 * 1024 * 1024);
  const unfinished = await startReceiver((reply) => void reply.writeHead(200).write('x'));
  await deliverTo(unfinished.url, { timeout: 500 });
  const cutOff = await startReceiver((reply) => {
    reply.writeHead(200).write('x', () => reply.destroy());
  });
  await deliverTo(cutOff.url);
  expect(isCut).toBe(true);
});
