import { REFUSED, SERVED, send, useJwtServices } from './jwt-service.ts';
import { claims, inSeconds, makeKey, secretKey, writeToken } from './key-server.ts';

const { startKeys, startWith } = useJwtServices();

const key = makeKey('key');
const server = await startKeys(key, makeKey('other'));
const service = await startWith(server, { cooldown: 0 });

test.each([
  [
    'expired',
    writeToken(key, claims({ exp: inSeconds(-95) })),
    'the token is no valid JWT: "exp" claim timestamp check failed',
  ],
  [
    'for later',
    writeToken(key, claims({ nbf: inSeconds(95) })),
    'the token is no valid JWT: "nbf" claim timestamp check failed',
  ],
  [
    'of another issuer',
    writeToken(key, claims({ iss: 'https://issuer.example' })),
    'the token is no valid JWT: its issuer is not JWT_ISSUER: "https://issuer.example"',
  ],
  [
    'of no issuer',
    writeToken(key, claims({ iss: undefined })),
    'the token is no valid JWT: its issuer is not JWT_ISSUER: undefined',
  ],
  [
    'for another audience',
    writeToken(key, claims({ aud: ['https://other.example'] })),
    'the token is no valid JWT: unexpected "aud" claim value',
  ],
  [
    'without an audience',
    writeToken(key, claims({ aud: undefined })),
    'the token is no valid JWT: missing required "aud" claim',
  ],
  [
    'without an end',
    writeToken(key, claims({ exp: undefined })),
    'the token is no valid JWT: missing required "exp" claim',
  ],
  [
    'with an end that is a text',
    writeToken(key, claims({ exp: 'now' })),
    'the token is no valid JWT: "exp" claim must be a number',
  ],
  [
    'without a subject',
    writeToken(key, claims({ sub: undefined })),
    'the token is no valid JWT: it names neither a subject nor a client',
  ],
  [
    'an ID token',
    writeToken(key, claims({ nonce: 'n' })),
    'the token is no valid JWT: it is no access token, but an ID token or another',
  ],
  [
    'signed with an unknown key',
    writeToken(makeKey('stranger')),
    'the token is no valid JWT: no applicable key found in the JSON Web Key Set',
  ],
  [
    'signed with no key that it names',
    writeToken(key, claims(), { kid: undefined }),
    'the token is no valid JWT: multiple matching keys found in the JSON Web Key Set',
  ],
  [
    'signed by another issuer',
    writeToken(makeKey('key')),
    'the token is no valid JWT: signature verification failed',
  ],
  [
    'signed with a shared secret',
    writeToken(secretKey('s', 'key')),
    'the token is no valid JWT: "alg" (Algorithm) Header Parameter value not allowed',
  ],
  [
    'in need of an extension',
    writeToken(key, claims(), { crit: ['x'], x: true }),
    'the token is no valid JWT: Extension Header Parameter "x" is not recognized',
  ],
  [
    'without JSON inside',
    writeToken(key, '{'),
    'the token is no valid JWT: Failed to parse the decoded payload as JSON',
  ],
  ['no JWT', 'abc', 'the token is no valid JWT: Invalid JWT'],
])(
  'the log, but not the reply, has the reason why a token is refused that is %s',
  async (_what, token, reason) => {
    service.lines.length = 0;
    expect(await send(service, token)).toMatchObject(REFUSED);
    expect(service.lines).toMatchObject([
      {
        status: 401,
        error: 40102,
        reason,
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
  expect(reason.length).toBeLessThan(400);
});

test('a token that is served has no reason', async () => {
  service.lines.length = 0;
  expect(await send(service, writeToken(key))).toMatchObject(SERVED);
  expect(service.lines).toEqual([expect.not.objectContaining({ reason: expect.anything() })]);
});
