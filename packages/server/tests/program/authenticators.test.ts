import { createStaticTokens } from '@trellis/server';
import { createAuthenticators } from '../../src/program/authenticators.ts';

const alice = { name: 'alice', scopes: ['read'] };
const tokens = createStaticTokens([{ ...alice, token: 's3cret' }]);
const documentOf = (securitySchemes: object) => ({ components: { securitySchemes } });

test('every scheme that can be served gets an authenticator, whatever the contract calls it', () => {
  const authenticators = createAuthenticators(
    documentOf({
      visitors: { type: 'http', scheme: 'Bearer' },
      staff: { type: 'http', scheme: 'basic' },
      partners: { $ref: '#/components/securitySchemes/keys' },
      keys: { type: 'apiKey', in: 'header', name: 'X-Key' },
      people: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
      apps: { type: 'oauth2', flows: {} },
      machines: { type: 'mutualTLS' },
      veterans: { type: 'http', scheme: 'digest' },
      strangers: { type: 'apiKey', in: 'body', name: 'key' },
    }),
    tokens,
  );
  expect(Object.entries(authenticators).map(([name, each]) => [name, each?.type])).toEqual([
    ['visitors', 'bearer'],
    ['staff', 'basic'],
    ['partners', 'apiKey'],
    ['keys', 'apiKey'],
    ['people', 'bearer'],
    ['apps', 'bearer'],
  ]);
});

test('a contract without schemes needs no authenticator', () => {
  expect(createAuthenticators({ paths: {} }, tokens)).toEqual({});
});

test('basic credentials are the name of a token and the token; an API key is a token', () => {
  const { staff, keys } = createAuthenticators(
    documentOf({
      staff: { type: 'http', scheme: 'basic' },
      keys: { type: 'apiKey', in: 'cookie', name: 'sid' },
    }),
    tokens,
  );
  const tried = [
    staff?.type === 'basic' && staff.authenticate('alice', 's3cret'),
    staff?.type === 'basic' && staff.authenticate('bob', 's3cret'),
    staff?.type === 'basic' && staff.authenticate('alice', 'guess'),
    keys?.type === 'apiKey' && keys.authenticate('s3cret'),
    keys?.type === 'apiKey' && keys.authenticate('guess'),
  ];
  expect(tried).toEqual([alice, undefined, undefined, alice, undefined]);
});

test('explain gets the reason why basic credentials and API keys are not valid', () => {
  const { staff, keys } = createAuthenticators(
    documentOf({
      staff: { type: 'http', scheme: 'basic' },
      keys: { type: 'apiKey', in: 'cookie', name: 'sid' },
    }),
    tokens,
  );
  const reasons: string[] = [];
  const explain = (reason: string) => reasons.push(reason);
  if (staff?.type === 'basic') staff.authenticate('alice', 's3cret', explain);
  if (staff?.type === 'basic') staff.authenticate('bob', 's3cret', explain);
  if (keys?.type === 'apiKey') keys.authenticate('guess', explain);
  expect(reasons).toEqual(['the name does not match the token', 'the token is not known']);
});

test('an authenticator of the owner takes the place of the tokens, for a scheme of any type; a name that the contract lacks is refused', () => {
  const document = documentOf({
    machines: { type: 'mutualTLS' },
    people: { type: 'http', scheme: 'bearer' },
  });
  const own = { type: 'request' as const, authenticate: () => 'absent' as const };
  expect(createAuthenticators(document, tokens, { machines: own })).toEqual({
    machines: own,
    people: tokens,
  });
  expect(createAuthenticators(document, tokens, { people: own })).toEqual({ people: own });
  expect(() => createAuthenticators(document, tokens, { person: own })).toThrow(
    'authenticators: openapi.yaml has no security scheme person, only machines, people',
  );
});
