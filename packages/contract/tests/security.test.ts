import type { Authenticators, RequestAuthenticator } from '@trellis/contract';
import { documentOf, json } from './support/documents.ts';
import { type Sent, serve } from './support/serve.ts';

const schemes = {
  people: { type: 'http', scheme: 'Bearer' },
  machines: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  guests: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  queryKey: { type: 'apiKey', in: 'query', name: 'key' },
  cookieKey: { type: 'apiKey', in: 'cookie', name: 'session' },
  referred: { $ref: '#/components/securitySchemes/people' },
  oauth: { type: 'oauth2', flows: {} },
  openId: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example' },
  digest: { type: 'http', scheme: 'digest' },
  certificate: { type: 'mutualTLS' },
  constructor: { type: 'http', scheme: 'bearer' },
};
const known = (name: string, ...scopes: string[]) => ({ name, scopes });
const isKey = (key: string) => (key === 'k y' ? known('key holder', 'read') : undefined);
const TOKENS: Readonly<Record<string, ReturnType<typeof known>>> = {
  p: known('Ada'),
  reader: known('Rita', 'read'),
  writer: known('Walt', 'write', 'read', 'delete'),
  all: known('Root', '*'),
};
const bearerOf = (right: string, name: string) => ({
  type: 'bearer' as const,
  authenticate: (token: string) => (token === right ? known(name) : undefined),
});
const AUTHENTICATORS: Authenticators = {
  people: { type: 'bearer', authenticate: (token) => TOKENS[token] },
  referred: bearerOf('r', 'Rose'),
  machines: {
    type: 'bearer',
    authenticate: async (token) => {
      if (token === 'outage') throw new Error('the key server is away');
      return token === 'm' ? known('robot') : undefined;
    },
  },
  guests: {
    type: 'basic',
    authenticate: (name, password) => (name === 'Zoë' && password === 'a:b' ? known(name) : undefined),
  },
  key: { type: 'apiKey', authenticate: isKey },
  queryKey: { type: 'apiKey', authenticate: isKey },
  cookieKey: { type: 'apiKey', authenticate: isKey },
  oauth: {
    type: 'bearer',
    authenticate: async (token) => (token === 'o' ? known('Olga', 'read') : undefined),
  },
  openId: bearerOf('i', 'Iris'),
};

/** Sends a request to an operation with these requirements; returns its principal, or throws the refusal. */
const secure =
  (security: readonly object[], authenticators = AUTHENTICATORS) =>
  async ({ url, ...sent }: Sent & { readonly url: string }): Promise<unknown> => {
    const paths = { '/': { get: { operationId: 'read', security, responses: { 200: json({}) } } } };
    const { send, errors } = await serve(
      await documentOf({ paths, components: { securitySchemes: schemes } }),
      { read: async ({ principal }: { principal?: object }) => ({ status: 200, body: principal ?? null }) },
      { authenticators },
    );
    const reply = await send(url, sent);
    const body: unknown = await reply.json();
    if (reply.status === 200) return body ?? undefined;
    const challenge = reply.headers.get('www-authenticate') ?? undefined;
    const { error: code, message } = Object(body);
    throw errors.at(-1) ?? Object.assign(new Error(message), { status: reply.status, code, challenge });
  };

const head = (headers: Record<string, string> = {}, url = '/') => ({ url, headers });
const bearer = (token: string) => head({ authorization: `Bearer ${token}` });
const basic = (text: string) => head({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, []]));

test('a scheme without an authenticator stops the start, and is named', async () => {
  await expect(secure([named('people'), named('constructor')])(head())).rejects.toThrow(
    'openapi.yaml: security scheme constructor has no bearer authenticator; write one where createContract is called: ' +
      'authenticators: { "constructor": { type: \'bearer\', authenticate } }',
  );
});

test('tokens of OAuth 2.0 and OpenID Connect are sent as bearer tokens', async () => {
  expect(await secure([named('oauth')])(bearer('o'))).toMatchObject({ name: 'Olga' });
  expect(await secure([named('openId')])(bearer('i'))).toMatchObject({ name: 'Iris' });
  await expect(secure([named('oauth')])(bearer('i'))).rejects.toThrow('the bearer token is not valid');
});

describe('an authenticator of whole requests', () => {
  const own = (challenge?: RequestAuthenticator['challenge']): Authenticators => ({
    people: { type: 'bearer', authenticate: (token) => TOKENS[token] },
    certificate: {
      type: 'request',
      ...(challenge !== undefined && { challenge }),
      authenticate({ requestId }) {
        if (requestId === 'nobody') return 'absent';
        return requestId === 'ada' ? known('Ada', 'read') : undefined;
      },
    },
  });
  const from = (id: string) => ({ ...head(), id });

  test('takes over a scheme that the service cannot check, scopes included', async () => {
    const ask = (id: string, scope = 'read') => secure([{ certificate: [scope] }], own())(from(id));
    expect(await ask('ada')).toMatchObject({ name: 'Ada' });
    await expect(ask('bob')).rejects.toMatchObject({ code: 40102, challenge: undefined });
    await expect(ask('nobody')).rejects.toMatchObject({ code: 40101, challenge: undefined });
    await expect(ask('ada', 'write')).rejects.toMatchObject({ code: 40301 });
  });

  test('may challenge, beside others, with a text or with one made for the request', async () => {
    const ask = (challenge: RequestAuthenticator['challenge']) =>
      secure([named('people'), named('certificate')], own(challenge))(from('bob'));
    await expect(ask('Mutual')).rejects.toMatchObject({
      challenge: 'Bearer error="invalid_token", Mutual',
    });
    await expect(ask(({ requestId }) => `Digest nonce="${requestId}"`)).rejects.toMatchObject({
      challenge: 'Bearer error="invalid_token", Digest nonce="bob"',
    });
  });
});

describe('schemes that the service cannot check', () => {
  const both = head({ authorization: 'Bearer p', 'x-key': 'k y' });

  test('an operation without other alternatives accepts no request', async () => {
    for (const requirements of [
      [named('digest')],
      [named('certificate'), named('people', 'digest')],
      [named('nobody')],
      [named('hasOwnProperty')],
    ])
      for (const request of [head(), both, head({ authorization: 'Digest username="x"' })])
        await expect(secure(requirements)(request)).rejects.toMatchObject({
          status: 501,
          code: 50101,
          message: expect.stringContaining('cannot check the credentials'),
        });
    await expect(secure([named('certificate'), named('digest')])(both)).rejects.toThrow(
      'the service cannot check the credentials of this operation: mutualTLS, http digest',
    );
  });

  test('other alternatives still accept their clients', async () => {
    const authenticate = secure([named('certificate'), named('people', 'digest'), named('key')]);
    expect(await authenticate(both)).toMatchObject({ name: 'key holder' });
    await expect(authenticate(bearer('p'))).rejects.toMatchObject({ code: 40101 });
  });
});

const lacking = (challenge?: string) => ({
  status: 403,
  code: 40301,
  challenge,
});

describe('scopes', () => {
  const CHALLENGE = 'Bearer error="insufficient_scope", scope="read write"';

  test('a principal with all required scopes is accepted, and so is a principal with every scope', async () => {
    const authenticate = secure([{ people: ['read', 'write'] }]);
    expect(await authenticate(bearer('writer'))).toEqual(TOKENS.writer);
    expect(await authenticate(bearer('all'))).toEqual(TOKENS.all);
  });

  test('a principal that lacks one is refused with 403 and the scopes that are needed', async () => {
    const authenticate = secure([{ people: ['read', 'write'] }]);
    for (const token of ['p', 'reader'])
      await expect(authenticate(bearer(token))).rejects.toMatchObject(lacking(CHALLENGE));
    await expect(authenticate(bearer('p'))).rejects.toThrow('this operation needs read, write');
  });

  test('missing and invalid credentials are refused with 401, as without scopes', async () => {
    const authenticate = secure([{ people: ['read'] }]);
    await expect(authenticate(head())).rejects.toMatchObject({ status: 401, code: 40101 });
    await expect(authenticate(bearer('x'))).rejects.toMatchObject({ status: 401, code: 40102 });
  });

  test.each([
    ['http basic', [{ guests: ['admin'] }], basic('Zoë:a:b'), undefined],
    ['apiKey', [{ key: ['read', 'admin'] }], head({ 'x-key': 'k y' }), undefined],
    ['oauth2', [{ oauth: ['write'] }], bearer('o'), 'Bearer error="insufficient_scope", scope="write"'],
    ['openIdConnect', [{ openId: ['a'] }], bearer('i'), 'Bearer error="insufficient_scope", scope="a"'],
  ])('they are checked for %s too', async (_type, requirements, request, challenge) => {
    await expect(secure(requirements)(request)).rejects.toMatchObject(lacking(challenge));
  });

  test('an API key with the role is accepted', async () => {
    expect(await secure([{ key: ['read'] }])(head({ 'x-key': 'k y' }))).toMatchObject({ name: 'key holder' });
  });

  test('a role that a header cannot hold is checked, and left out of the challenge', async () => {
    const authenticate = secure([{ people: ['größer', 'a "b"'] }]);
    await expect(authenticate(bearer('p'))).rejects.toMatchObject(
      lacking('Bearer error="insufficient_scope"'),
    );
  });

  test('the first alternative that is satisfied wins', async () => {
    const authenticate = secure([{ people: ['write'] }, { people: ['read'] }, { oauth: ['read'] }]);
    expect(await authenticate(bearer('reader'))).toEqual(TOKENS.reader);
    expect(await authenticate(bearer('o'))).toMatchObject({ name: 'Olga' });
    await expect(authenticate(bearer('p'))).rejects.toMatchObject(
      lacking('Bearer error="insufficient_scope", scope="write"'),
    );
  });

  test('valid credentials of one alternative that lack a scope are 403, invalid ones of another are not', async () => {
    const authenticate = secure([{ people: ['write'] }, named('key')]);
    const wrongKey = head({ authorization: 'Bearer reader', 'x-key': 'x' });
    await expect(authenticate(wrongKey)).rejects.toMatchObject({ status: 403 });
    await expect(authenticate(head({ 'x-key': 'x' }))).rejects.toMatchObject({ status: 401 });
    await expect(authenticate(head())).rejects.toMatchObject({ status: 401, code: 40101 });
  });

  test('where several schemes must agree, each needs its own, and a missing one is 401 first', async () => {
    const authenticate = secure([{ people: ['write'], key: ['read'] }]);
    const sent = (token: string, key: string) => head({ authorization: `Bearer ${token}`, 'x-key': key });
    expect(await authenticate(sent('writer', 'k y'))).toEqual(TOKENS.writer);
    await expect(authenticate(sent('reader', 'k y'))).rejects.toMatchObject(
      lacking('Bearer error="insufficient_scope", scope="write"'),
    );
    await expect(authenticate(sent('reader', 'x'))).rejects.toMatchObject({ code: 40102 });
    await expect(authenticate(bearer('reader'))).rejects.toMatchObject({ code: 40101 });
  });

  test('beside an empty alternative, a principal that lacks a scope is anonymous', async () => {
    const authenticate = secure([{ people: ['write'] }, {}]);
    expect(await authenticate(bearer('reader'))).toBeUndefined();
    expect(await authenticate(bearer('writer'))).toEqual(TOKENS.writer);
  });
});

test('without security requirements, every client is accepted as anonymous', async () => {
  expect(await secure([])(head())).toBeUndefined();
});

test.each([
  ['a bearer token', named('people'), bearer('p'), 'Ada'],
  ['a bearer token of a scheme by reference', named('referred'), bearer('r'), 'Rose'],
  ['a name and a password with a colon', named('guests'), basic('Zoë:a:b'), 'Zoë'],
  ['a key in a header', named('key'), head({ 'x-key': 'k y' }), 'key holder'],
  ['a key in the query', named('queryKey'), head({}, '/?a=b&key=k%20y'), 'key holder'],
  ['a key in a cookie', named('cookieKey'), head({ cookie: 'a=b; session=k%20y' }), 'key holder'],
])('%s authenticates its owner', async (_name, requirement, request, name) => {
  expect(await secure([requirement])(request)).toMatchObject({ name });
});

test.each([
  ['no token', named('people'), head(), 40101, 'Bearer'],
  ['a wrong token', named('people'), bearer('x'), 40102, 'Bearer error="invalid_token"'],
  ['no password', named('guests'), head(), 40101, 'Basic realm="api", charset="UTF-8"'],
  ['a wrong password', named('guests'), basic('Zoë:x'), 40102, 'Basic realm="api", charset="UTF-8"'],
  ['half a password', named('guests'), basic('Zoë'), 40102, 'Basic realm="api", charset="UTF-8"'],
  ['no key', named('key'), head(), 40101, undefined],
  ['a wrong key', named('key'), head({ 'x-key': 'x' }), 40102, undefined],
])(
  '%s is refused with the challenge of its scheme',
  async (_name, requirement, request, error, challenge) => {
    await expect(secure([requirement])(request)).rejects.toMatchObject({
      status: 401,
      code: error,
      challenge,
    });
  },
);

test('any of several alternatives is sufficient', async () => {
  const authenticate = secure([named('people'), named('machines')]);
  expect(await authenticate(bearer('p'))).toMatchObject({ name: 'Ada' });
  expect(await authenticate(bearer('m'))).toMatchObject({ name: 'robot' });
});

test('all schemes of one alternative must agree', async () => {
  const authenticate = secure([named('people', 'key')]);
  const both = head({ authorization: 'Bearer p', 'x-key': 'k y' });
  expect(await authenticate(both)).toMatchObject({ name: 'Ada' });
  await expect(authenticate(bearer('p'))).rejects.toMatchObject({ code: 40101 });
  await expect(authenticate(head({ 'x-key': 'k y' }))).rejects.toMatchObject({ code: 40101 });
});

test.each([
  ['last', [named('people'), {}]],
  ['first', [{}, named('people')]],
])(
  'an empty alternative, %s, accepts every client, and valid credentials still identify a client',
  async (_where, requirements) => {
    const authenticate = secure(requirements);
    expect(await authenticate(head())).toBeUndefined();
    expect(await authenticate(bearer('p'))).toMatchObject({ name: 'Ada' });
    expect(await authenticate(bearer('x'))).toBeUndefined();
  },
);

test('a token of a scheme that the operation does not name is refused', async () => {
  await expect(secure([named('people')])(bearer('m'))).rejects.toMatchObject({ status: 401 });
});

test('an outage is not taken for a wrong token', async () => {
  await expect(secure([named('machines')])(bearer('outage'))).rejects.toThrow('the key server is away');
});

test.each(['', 'with space', 'ünï', '=', 'a,b'])(
  '"%s" can be no token, and no authenticator is asked',
  async (token) => {
    const asked: string[] = [];
    const authenticate = (sent: string) => {
      asked.push(sent);
      return known('anybody');
    };
    const people = { type: 'bearer', authenticate } as const;
    await expect(secure([named('people')], { people })(bearer(token))).rejects.toMatchObject({ status: 401 });
    expect(asked).toEqual([]);
  },
);
