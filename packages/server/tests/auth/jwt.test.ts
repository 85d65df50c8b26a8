import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { createTokenCache } from '../../src/auth/jwt.ts';
import { REFUSED, SERVED, send, UNAVAILABLE, useJwtServices } from './jwt-service.ts';
import { AUDIENCE, claims, ISSUER, inSeconds, makeKey, secretKey, writeToken } from './key-server.ts';

const { startKeys, startWith } = useJwtServices();

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const keys = new Map(ALGORITHMS.map((alg) => [alg, makeKey(`key-${alg}`, alg)]));
const key = keys.get('ES256') ?? makeKey('none');
const rsa = keys.get('RS256') ?? makeKey('none');
const server = await startKeys(...keys.values(), makeKey('other'));
const service = await startWith(server, { cooldown: 0 }); // a key that is made up is asked for each time

test.each([...keys])('a token that is signed with %s is served', async (_alg, signing) => {
  expect(await send(service, writeToken(signing))).toMatchObject(SERVED);
});

test.each([
  ['several issuers', { iss: [ISSUER] }],
  ['audiences that are not ours', { aud: ['https://other.example', `${AUDIENCE}/`] }],
  ['an end longer ago than clocks may differ', { exp: inSeconds(-40) }],
  ['a beginning later than clocks may differ', { nbf: inSeconds(40) }],
  ['an empty subject', { sub: '', client_id: 'a-client' }],
  ['a subject that is a number', { sub: 41 }],
])('a token with %s is refused', async (_what, changes) => {
  expect(await send(service, writeToken(key, claims(changes)))).toMatchObject(REFUSED);
});

test.each([
  ['our audience among others', { aud: ['https://other.example', AUDIENCE] }],
  ['an end shorter ago than clocks may differ', { exp: inSeconds(-15) }],
  ['a beginning sooner than clocks may differ', { nbf: inSeconds(15) }],
])('a token with %s is served', async (_what, changes) => {
  expect(await send(service, writeToken(key, claims(changes)))).toMatchObject(SERVED);
});

test.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', 'jwt', 'application/JWT', undefined])(
  'a token whose header says that its type is %s is served',
  async (typ) => {
    expect(await send(service, writeToken(key, claims(), { typ }))).toMatchObject(SERVED);
  },
);

test.each([
  'id_token',
  'ID',
  'dpop+jwt',
  'logout+jwt',
  'rt+jwt',
  'at+jwt+x',
  'application/',
  '',
  null,
  41,
  ['JWT'],
])('a token whose header says that its type is %j is no access token, and refused', async (typ) => {
  expect(await send(service, writeToken(key, claims(), { typ }))).toMatchObject(REFUSED);
});

test.each([
  { nonce: 'n-0S6_WzA2Mj' },
  { at_hash: 'x' },
  { c_hash: 'x' },
  { s_hash: 'x' },
  { nonce: null },
  { typ: 'ID' },
  { typ: 'Refresh' },
  { typ: 'Logout' },
  { typ: ['Bearer'] },
  { typ: '' },
])(
  'a token with the claim %j is no access token, and refused unless its header says that it is',
  async (claim) => {
    for (const typ of ['JWT', undefined])
      expect(await send(service, writeToken(key, claims(claim), { typ }))).toMatchObject(REFUSED);
    expect(await send(service, writeToken(key, claims(claim), { typ: 'at+jwt' }))).toMatchObject(SERVED);
  },
);

test.each([{ typ: 'Bearer' }, { typ: 'bearer' }, { typ: 'Bearer', nonce: 'n-0S6_WzA2Mj' }])(
  'a token whose claims %j say that it is a bearer token is served',
  async (claim) => {
    expect(await send(service, writeToken(key, claims(claim)))).toMatchObject(SERVED);
  },
);

test.each([
  ['its subject', {}, 'jwt:alice'],
  ['its client, where it has no subject', { sub: undefined, client_id: 'a-client' }, 'jwt:a-client'],
  ['its subject, where it has both', { client_id: 'a-client' }, 'jwt:alice'],
])('the owner of a token is named by %s, distinct from static tokens', async (_what, changes, name) => {
  await send(service, writeToken(key, claims(changes)));
  expect(service.seen.at(-1)).toEqual({ name, scopes: [] });
});

const unsigned = { header: { alg: 'none', kid: 'key-ES256' }, sign: () => Buffer.alloc(0) };
const stranger = makeKey('key-ES256');

test.each([
  ['no signature', writeToken(unsigned)],
  ['no signature, and something in its place', writeToken({ ...unsigned, sign: () => Buffer.from('x') })],
  ['"none" over a true signature', writeToken(key, claims(), { alg: 'none' })],
  ['the public key as an HMAC secret', writeToken(secretKey(rsa.pem, 'key-RS256'))],
  ['the public JWK as an HMAC secret', writeToken(secretKey(JSON.stringify(rsa.jwk), 'key-RS256'))],
  ['an empty HMAC secret', writeToken(secretKey('', 'key-RS256'))],
  ["a stranger's key under a known name", writeToken(stranger)],
  ["a stranger's key that the token brings along", writeToken(stranger, claims(), { jwk: stranger.jwk })],
  ['another algorithm than its key is for', writeToken(rsa, claims(), { alg: 'RS512' })],
  [
    'a DER signature where JWS asks for two numbers',
    writeToken({ ...key, sign: () => Buffer.alloc(70, 0x30) }),
  ],
  ['claims that are no object', writeToken(key, ['alice'])],
])('a token with %s is refused', async (_what, token) => {
  expect(await send(service, token)).toMatchObject(REFUSED);
});

test('one other character anywhere in a token, and it is refused', async () => {
  const token = writeToken(key);
  const characters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'];
  const mutated = fc
    .tuple(fc.nat(token.length - 2), fc.constantFrom(...characters)) // the last one has bits that do not count
    .map(([at, character]) => token.slice(0, at) + character + token.slice(at + 1))
    .filter((text) => text !== token);
  await fc.assert(
    fc.asyncProperty(mutated, async (text) => {
      expect(await send(service, text)).toMatchObject(REFUSED);
    }),
    { seed: 20261115, numRuns: 60 },
  );
});

const shortRsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

test.each([
  ['broken', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, 'ES256'],
  ['private', privateKey, 'ES256'],
  ['too short to be safe', shortRsa, 'RS256'],
  ['too short to be safe, for PS256 too', shortRsa, 'PS256'],
])('a published key that is %s is no fault of the token that names it', async (_what, jwk, alg) => {
  const published = { ...rsa, jwk: { ...jwk, kid: 'odd' }, header: { alg, kid: 'odd' } };
  const odd = await startWith(await startKeys(published));
  expect(await send(odd, writeToken(published))).toMatchObject(UNAVAILABLE);
  expect(odd.logged).toHaveLength(1);
});

test.each([
  ['expired', writeToken(key, claims({ exp: inSeconds(-95) })), '"exp" claim timestamp check failed'],
  ['for later', writeToken(key, claims({ nbf: inSeconds(95) })), '"nbf" claim timestamp check failed'],
  [
    'of another issuer',
    writeToken(key, claims({ iss: 'https://issuer.example' })),
    'its issuer is not JWT_ISSUER: "https://issuer.example"',
  ],
  ['of no issuer', writeToken(key, claims({ iss: undefined })), 'its issuer is not JWT_ISSUER: undefined'],
  ['for another audience', writeToken(key, claims({ aud: ['x'] })), 'unexpected "aud" claim value'],
  ['without an audience', writeToken(key, claims({ aud: undefined })), 'missing required "aud" claim'],
  ['without an end', writeToken(key, claims({ exp: undefined })), 'missing required "exp" claim'],
  ['with an end that is a text', writeToken(key, claims({ exp: 'now' })), '"exp" claim must be a number'],
  [
    'without a subject',
    writeToken(key, claims({ sub: undefined })),
    'it names neither a subject nor a client',
  ],
  [
    'an ID token',
    writeToken(key, claims({ nonce: 'n' })),
    'it is no access token, but an ID token or another',
  ],
  [
    'signed with an unknown key',
    writeToken(makeKey('stranger')),
    'no applicable key found in the JSON Web Key Set',
  ],
  [
    'signed with no key that it names',
    writeToken(key, claims(), { kid: undefined }),
    'multiple matching keys found in the JSON Web Key Set',
  ],
  ['signed by another issuer', writeToken(stranger), 'signature verification failed'],
  [
    'signed with a shared secret',
    writeToken(secretKey('s', 'key-ES256')),
    '"alg" (Algorithm) Header Parameter value not allowed',
  ],
  [
    'in need of an extension',
    writeToken(key, claims(), { crit: ['x'], x: true }),
    'Extension Header Parameter "x" is not recognized',
  ],
  ['without JSON inside', writeToken(key, '{'), 'Failed to parse the decoded payload as JSON'],
  ['no JWT', 'abc', 'Invalid JWT'],
])(
  'the log, but not the reply, has the reason why a token is refused that is %s',
  async (_what, token, reason) => {
    service.lines.length = 0;
    expect(await send(service, token)).toMatchObject(REFUSED);
    expect(service.lines).toMatchObject([
      { status: 401, error: 40102, reason: `the token is no valid JWT: ${reason}` },
    ]);
    expect(JSON.stringify(service.lines)).not.toContain(token);
  },
);

test('a claim cannot forge a line of the log, nor fill it', async () => {
  service.lines.length = 0;
  const iss = `\n\u009b31m${'a'.repeat(5000)}`;
  await send(service, writeToken(key, claims({ iss })));
  const [{ reason = '' } = {}]: { reason?: string }[] = service.lines;
  expect(reason).toContain('JWT_ISSUER: "\\n\\u009b31maaa');
  expect(reason.length).toBeLessThan(400);
});

test('a token that is served has no reason', async () => {
  service.lines.length = 0;
  expect(await send(service, writeToken(key))).toMatchObject(SERVED);
  expect(service.lines).toEqual([expect.not.objectContaining({ reason: expect.anything() })]);
});

describe('the cache of verified tokens', () => {
  const FOR_LONG = Date.now() + 3_600_000;
  const alice = { name: 'alice', scopes: [] };

  test('a token is remembered, and no other', () => {
    const { get, set } = createTokenCache();
    set('one', alice, FOR_LONG);
    expect([get('one'), get('two')]).toEqual([alice, undefined]);
  });

  test('not beyond the moment that it is remembered until, and never for longer than the most', () => {
    const { get, set } = createTokenCache();
    set('over', alice, Date.now());
    expect(get('over')).toBeUndefined();
    const brief = createTokenCache({ maxAge: 0 });
    brief.set('one', alice, FOR_LONG);
    expect(brief.get('one')).toBeUndefined();
  });

  test('when there are too many, the one that was remembered longest ago is forgotten', () => {
    const { get, set } = createTokenCache({ maxEntries: 2 });
    for (const token of ['one', 'two', 'one', 'three']) set(token, alice, FOR_LONG);
    expect(['one', 'two', 'three'].map((token) => get(token)?.name)).toEqual(['alice', undefined, 'alice']);
  });
});
