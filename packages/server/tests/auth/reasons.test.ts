import type { Authenticators } from '@trellis/contract';
import { operationServers } from '../support/serve.ts';

const serve = operationServers();

const SCHEMES = {
  people: { type: 'http', scheme: 'bearer' },
  guests: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  queryKey: { type: 'apiKey', in: 'query', name: 'key' },
  cookieKey: { type: 'apiKey', in: 'cookie', name: 'session' },
};
const nobody = (_name: string) => undefined;
const AUTHENTICATORS: Authenticators = {
  people: {
    type: 'bearer',
    authenticate(_token, explain) {
      explain?.('it is Monday');
      return undefined;
    },
  },
  guests: { type: 'basic', authenticate: nobody },
  key: { type: 'apiKey', authenticate: nobody },
  queryKey: { type: 'apiKey', authenticate: nobody },
  cookieKey: { type: 'apiKey', authenticate: nobody },
};

/** Sends a request to an operation with these requirements; returns the reply, and the reasons in the log. */
const refuse = async (schemes: readonly (readonly string[])[], headers: Record<string, string>) => {
  const security = schemes.map((names) => Object.fromEntries(names.map((name) => [name, []])));
  const { url, lines } = await serve(
    {
      security,
      responses: { 204: { description: '' } },
      document: { components: { securitySchemes: SCHEMES } },
    },
    async () => ({ status: 204 }),
    { authenticators: AUTHENTICATORS },
  );
  const reply = await fetch(url, { headers });
  const told = await reply.text();
  return { status: reply.status, told, reasons: lines.map((line) => Reflect.get(line, 'reason')) };
};

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

test.each([
  ['people', {}, 'there is no Authorization header'],
  ['people', basic('a:b'), 'the Authorization header has another scheme than Bearer'],
  ['people', { authorization: 'p' }, 'the Authorization header has another scheme than Bearer'],
  ['people', { authorization: 'Bearer' }, 'the bearer token is malformed'],
  ['people', { authorization: 'Bearer a b' }, 'the bearer token is malformed'],
  ['people', { authorization: 'Bearer p' }, 'it is Monday'],
  ['guests', {}, 'there is no Authorization header'],
  ['guests', { authorization: 'Bearer p' }, 'the Authorization header has another scheme than Basic'],
  ['guests', basic('Zoë'), 'the basic credentials are malformed'],
  ['key', { authorization: 'Bearer p' }, 'there is no X-Key in the header'],
  ['queryKey', {}, 'there is no key in the query'],
  ['cookieKey', {}, 'there is no session in the cookie'],
])('a refusal by the scheme %s has its reason in the log only', async (name, headers, reason) => {
  const { status, told, reasons } = await refuse([[name]], headers);
  expect([status, reasons]).toEqual([401, [reason]]);
  expect(told).not.toContain(reason);
});

test('a refusal by several schemes has the reason of each, once', async () => {
  const { reasons } = await refuse([['people'], ['key'], ['people', 'key']], { authorization: 'Bearer p' });
  expect(reasons).toEqual(['it is Monday; there is no X-Key in the header']);
});
