import { inspect } from 'node:util';
import { exchange, head, parseReplies } from '@trellis/test-support/raw-http';
import { type Service, startService, TOKEN } from '../support/service.ts';
import { createThings, type Things } from '../support/things.ts';

const failing: Things = {
  ...createThings(),
  create: () => Promise.reject(new Error('out of order')),
};

let service: Service;
let broken: Service;
beforeAll(async () => {
  service = await startService();
  broken = await startService({ things: failing });
});
afterAll(() => Promise.all([service.close(), broken.close()]));

const THING = '{"id":1,"name":"Lamp"}';

const send = async (authorization: string | undefined, { url }: Service = service) => {
  const reply = await fetch(`${url}/things`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    body: THING,
  });
  return { status: reply.status, challenge: reply.headers.get('www-authenticate'), text: await reply.text() };
};

test.each([
  ['no Authorization at all', undefined],
  ['an empty Authorization', ''],
  ['the Basic scheme', `Basic ${btoa(`user:${TOKEN}`)}`],
  ['the bare token', TOKEN],
  ['a scheme that only begins like Bearer', `BearerX ${TOKEN}`],
  ['a scheme and a token run together', `Bearer${TOKEN}`],
])('%s answers 401 and asks for a bearer token', async (_name, authorization) => {
  const { status, challenge, text } = await send(authorization);
  expect({ status, challenge }).toEqual({ status: 401, challenge: 'Bearer' });
  expect(JSON.parse(text)).toEqual({
    error: 40101,
    message: 'send a bearer token: Authorization: Bearer <ACCESS_TOKEN>',
  });
});

test.each([
  ['a wrong token', 'Bearer not-the-token'],
  ['no token after the scheme', 'Bearer'],
  ['only spaces after the scheme', 'Bearer    '],
  ['a token in the wrong case', `Bearer ${TOKEN.toUpperCase()}`],
  ['the beginning of a token', `Bearer ${TOKEN.slice(0, -1)}`],
  ['a token and something more', `Bearer ${TOKEN}s`],
  ['a token with a space in it', `Bearer ${TOKEN.replace('-', ' ')}`],
  ['two tokens', `Bearer ${TOKEN}, ${TOKEN}`],
  ['a quoted token', `Bearer "${TOKEN}"`],
  ['a token with letters beyond ASCII', 'Bearer \u00e9\u00e8'],
  ['a token of 8 KiB', `Bearer ${'a'.repeat(8192)}`],
  ['the name of what every object has', 'Bearer __proto__'],
])('%s answers 401 with invalid_token', async (_name, authorization) => {
  const { status, challenge, text } = await send(authorization);
  expect({ status, challenge }).toEqual({ status: 401, challenge: 'Bearer error="invalid_token"' });
  expect(JSON.parse(text)).toEqual({ error: 40102, message: 'the bearer token is not valid' });
});

test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('the scheme may be written %s', async (scheme) => {
  expect(await send(`${scheme} ${TOKEN}`)).toMatchObject({ status: 200 });
});

test('spaces around and between scheme and token do not matter', async () => {
  const request = head(
    'POST /things',
    `Authorization:   Bearer    ${TOKEN}  `,
    'Content-Type: application/json',
    `Content-Length: ${THING.length}`,
    'Connection: close',
  );
  expect(parseReplies(await exchange(service.port, request + THING))).toMatchObject([{ status: 200 }]);
});

test('no token, right or wrong, shows in a reply or in the log', async () => {
  const replies = [
    await send(`Bearer ${TOKEN}`, broken),
    await send(`Bearer ${TOKEN}`),
    await send('Bearer not-the-token', broken),
    await send(`Basic ${TOKEN}`, broken),
  ];
  expect(replies.map(({ status }) => status)).toEqual([500, 200, 401, 401]);
  expect(broken.logged).toHaveLength(1);
  const shown = inspect([replies, broken.logged], { depth: null, showHidden: true });
  expect(shown).not.toContain(TOKEN);
  expect(shown).not.toContain('not-the-token');
});
