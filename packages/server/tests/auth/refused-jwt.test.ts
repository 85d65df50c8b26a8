import { REFUSED, SERVED, send, useJwtServices } from './jwt-service.ts';
import { claims, inSeconds, makeKey, secretKey, writeToken } from './key-server.ts';

const { startKeys, startWith } = useJwtServices();

const key = makeKey('key');
const server = await startKeys(key, makeKey('other'));
const service = await startWith(server, { cooldown: 0 });

test.each([
  ['expired', writeToken(key, claims({ exp: inSeconds(-95) })), /^the JWT expired 9[5-9] s ago$/],
  ['for later', writeToken(key, claims({ nbf: inSeconds(95) })), 'the JWT is not valid yet'],
  [
    'of another issuer',
    writeToken(key, claims({ iss: 'https://issuer.example' })),
    'the JWT is of another issuer than JWT_ISSUER: "https://issuer.example"',
  ],
  [
    'of no issuer',
    writeToken(key, claims({ iss: undefined })),
    'the JWT is of another issuer than JWT_ISSUER: none',
  ],
  [
    'for another audience',
    writeToken(key, claims({ aud: ['https://other.example'] })),
    'the JWT is for another audience than JWT_AUDIENCE: ["https://other.example"]',
  ],
  ['without an audience', writeToken(key, claims({ aud: undefined })), 'the JWT has no aud'],
  ['without an end', writeToken(key, claims({ exp: undefined })), 'the JWT has no exp'],
  [
    'with an end that is a text',
    writeToken(key, claims({ exp: 'now' })),
    'the claim exp of the JWT is not valid',
  ],
  [
    'without a subject',
    writeToken(key, claims({ sub: undefined })),
    'the JWT names neither a subject nor a client',
  ],
  [
    'an ID token',
    writeToken(key, claims({ nonce: 'n' })),
    'the JWT is no access token, but an ID token or another',
  ],
  [
    'signed with an unknown key',
    writeToken(makeKey('stranger')),
    'the issuer has no key for the JWT, which names "stranger"',
  ],
  [
    'signed with no key that it names',
    writeToken(key, claims(), { kid: undefined }),
    'the JWT names no key, and several would fit',
  ],
  ['signed by somebody else', writeToken(makeKey('key')), 'the signature of the JWT is not valid'],
  [
    'signed with a shared secret',
    writeToken(secretKey('s', 'key')),
    'the JWT is signed with an algorithm that is not accepted: "HS256"',
  ],
  [
    'in need of an extension',
    writeToken(key, claims(), { crit: ['x'], x: true }),
    'the JWT needs an extension that is not supported',
  ],
  ['without JSON inside', writeToken(key, '{'), 'the JWT is malformed'],
  ['no JWT', 'abc', 'the token is not known, and is no JWT'],
])(
  'the log tells why a token is refused that is %s, and the client is not told',
  async (_what, token, reason) => {
    service.lines.length = 0;
    expect(await send(service, token)).toMatchObject(REFUSED);
    expect(service.lines).toMatchObject([
      {
        status: 401,
        error: 40102,
        reason: reason instanceof RegExp ? expect.stringMatching(reason) : reason,
      },
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
  expect(reason.length).toBeLessThan(200);
});

test('a token that is served has no reason', async () => {
  service.lines.length = 0;
  expect(await send(service, writeToken(key))).toMatchObject(SERVED);
  expect(service.lines).toEqual([expect.not.objectContaining({ reason: expect.anything() })]);
});
