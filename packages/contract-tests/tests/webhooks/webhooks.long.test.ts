import { run } from '../run.ts';
import {
  BOOKINGS_FILE,
  type Change,
  freePort,
  type Outgoing,
  SECRET,
  startBookings,
} from './bookings-service.ts';

/** Tests a service that sends webhooks, changed in some way. */
const check = async (change?: Change, seed = 41) => {
  const port = await freePort();
  const { url, close } = await startBookings(`http://127.0.0.1:${port}`, change);
  const flags = [`--webhooks=${port}`, `--webhook-secret=${SECRET}`];
  const phases = ['valid', 'webhooks'];
  return run({ url, spec: BOOKINGS_FILE, requests: 20, seed, phases, flags }).finally(close);
};

/** Changes the messages of one name. */
const of =
  (name: string, change: (message: Outgoing) => Outgoing | undefined): Change =>
  (message) =>
    message.name === name ? change(message) : message;

test.each([41, 4711, 20_261_116])(
  'webhooks and callbacks that are right are counted, and nothing is said against them (seed %i)',
  async (seed) => {
    const { failures, text } = await check(undefined, seed);
    expect(text).not.toContain('curl');
    expect(failures).toBe(0);
    for (const name of ['newBooking', 'soldOut', 'createBooking.paid', 'createBooking.cancelled'])
      expect(text).toContain(`note  ${name}: arrived 20 times`);
    expect(text).toMatch(/note {2}createBooking\.seen: arrived \d+ times/);
    expect(text).toContain(
      'note  not checked: callbacks, because their URL is not in the request: createBooking',
    );
    expect(text).not.toContain('never');
    expect(text).not.toContain('no webhook');
  },
);

const BUGS: readonly [bug: string, change: Change, told: string][] = [
  [
    'has a wrong body',
    of('newBooking', (message) => ({ ...message, body: '{"id":"1","seat":"12A"}' })),
    'newBooking: received request: the body/id must be integer',
  ],
  [
    'has an id beyond int64',
    of('newBooking', (message) => ({ ...message, body: '{"id":9223372036854775808,"seat":"12A"}' })),
    'newBooking: received request: the body/id must match format "int64"',
  ],
  [
    'has a body that is no JSON',
    of('paid', (message) => ({ ...message, body: '{' })),
    'createBooking.paid: received request: the body is not JSON',
  ],
  [
    'has no body',
    of('paid', ({ body: _, ...message }) => message),
    'createBooking.paid: received request: no body',
  ],
  [
    'has a body where none is declared',
    of('cancelled', (message) => ({ ...message, contentType: 'application/json', body: '{}' })),
    'createBooking.cancelled: received request: a body, where none is declared',
  ],
  [
    'has the wrong media type',
    of('newBooking', (message) => ({ ...message, contentType: 'application/x-www-form-urlencoded' })),
    'newBooking: received request: Content-Type application/x-www-form-urlencoded, which is not declared',
  ],
  [
    'has the wrong text',
    of('soldOut', (message) => ({ ...message, body: 'perhaps' })),
    'soldOut: received request: the body must be equal to one of the allowed values',
  ],
  [
    'has the wrong method',
    of('soldOut', (message) => ({ ...message, method: 'POST' })),
    'soldOut: received request: POST, where PUT is declared',
  ],
  [
    'lacks a header',
    of('newBooking', ({ headers: _, ...message }) => message),
    'newBooking: received request: the header X-Attempt is missing',
  ],
  [
    'is signed with another secret',
    of('newBooking', (message) => ({ ...message, secret: `whsec_${Buffer.alloc(24).toString('base64')}` })),
    'newBooking: received request: webhook-signature does not fit the secret',
  ],
  [
    'is not signed',
    of('paid', (message) => ({ ...message, headers: { 'webhook-signature': '' } })),
    'createBooking.paid: received request: the header webhook-signature is missing',
  ],
  [
    'was signed long ago',
    of('paid', (message) => ({ ...message, age: 3600 })),
    'createBooking.paid: received request: webhook-timestamp is not within five minutes of now',
  ],
];

test.each(BUGS)('a webhook that %s is a failure', async (_bug, change, told) => {
  const { failures, text } = await check(change);
  expect(text).toContain(told);
  expect(text).toMatch(/ curl -i -X \w+ '?http:\/\/127\.0\.0\.1:\d+\/(?:webhooks|callbacks)\//);
  expect(text).toMatch(/bookings\.yaml:\d+ #\//);
  expect(failures).toBe(1);
});

test('a webhook that is never sent is a note, and so is one that is sent elsewhere', async () => {
  const { failures, text } = await check(
    of('newBooking', (message) => ({ ...message, url: message.url.replace('newBooking', 'newBoking') })),
  );
  expect(failures).toBe(0);
  expect(text).toMatch(
    /note {2}newBooking: never arrived at http:\/\/127\.0\.0\.1:\d+\/webhooks\/newBooking/,
  );
  expect(text).toContain('note  no webhook or callback is received at POST /webhooks/newBoking');
}, 15_000);

test('a service with one URL for all webhooks may send them there', async () => {
  const toRoot: Change = (message) => ({
    ...message,
    url: message.url.replace(/\/webhooks\/.*/, '/webhooks'),
  });
  const { failures, text } = await check(toRoot);
  expect(failures).toBe(0);
  expect(text).toContain('note  newBooking: arrived 20 times');
  expect(text).toContain('note  soldOut: arrived 20 times');
});
