import { createAuthentication } from '../../src/contract/authentication.ts';

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
  constructor: { type: 'http', scheme: 'bearer' },
};
const isKey = (key: string) => (key === 'k y' ? { name: 'key holder' } : undefined);
const createCheck = createAuthentication(
  { components: { securitySchemes: schemes } },
  {
    people: { type: 'bearer', authenticate: (token) => (token === 'p' ? { name: 'Ada' } : undefined) },
    referred: { type: 'bearer', authenticate: (token) => (token === 'r' ? { name: 'Rose' } : undefined) },
    machines: {
      type: 'bearer',
      authenticate: async (token) => {
        if (token === 'outage') throw new Error('the key server is away');
        return token === 'm' ? { name: 'robot' } : undefined;
      },
    },
    guests: {
      type: 'basic',
      authenticate: (name, password) => (name === 'Zoë' && password === 'a:b' ? { name } : undefined),
    },
    key: { type: 'apiKey', authenticate: isKey },
    queryKey: { type: 'apiKey', authenticate: isKey },
    cookieKey: { type: 'apiKey', authenticate: isKey },
    oauth: { type: 'bearer', authenticate: (token) => (token === 'o' ? { name: 'Olga' } : undefined) },
    openId: { type: 'bearer', authenticate: (token) => (token === 'i' ? { name: 'Iris' } : undefined) },
  },
);

/** As the contract asks: what is thrown at once rejects like the rest. */
const secure = (requirements: Parameters<typeof createCheck>[0]) => {
  const check = createCheck(requirements);
  return async (request: Parameters<typeof check>[0]) => check(request);
};

const head = (headers: Record<string, string> = {}, target = '/') => ({ path: {}, target, headers });
const bearer = (token: string) => head({ authorization: `Bearer ${token}` });
const basic = (text: string) => head({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, []]));

test.each([
  [
    'a scheme of another type',
    named('digest'),
    'digest is not served; use http bearer, http basic or apiKey',
  ],
  ['a scheme that the document does not have', named('nobody'), 'nobody is not served'],
  ['what every object has', named('hasOwnProperty'), 'hasOwnProperty is not served'],
  ['a scheme without an authenticator', named('constructor'), 'constructor has no bearer authenticator'],
])('%s stops the start, and is named', (_name, requirement, message) => {
  expect(() => secure([named('people'), requirement])).toThrow(`openapi.yaml: security scheme ${message}`);
});

test('tokens of OAuth 2.0 and OpenID Connect are sent as bearer tokens', async () => {
  expect(await secure([named('oauth')])(bearer('o'))).toEqual({ name: 'Olga' });
  expect(await secure([named('openId')])(bearer('i'))).toEqual({ name: 'Iris' });
  await expect(secure([named('oauth')])(bearer('i'))).rejects.toThrow('the bearer token is not valid');
});

test.each([
  ['http bearer', [{ people: ['admin'] }], 'people is asked for admin'],
  ['http basic', [{ guests: ['read', 'write'] }], 'guests is asked for read, write'],
  ['apiKey', [{ key: ['admin'] }], 'key is asked for admin'],
  ['one of several that must agree', [{ people: [], key: ['admin'] }], 'key is asked for admin'],
  ['an alternative', [named('people'), {}, { machines: ['admin'] }], 'machines is asked for admin'],
])(
  'scopes of %s stop the start: to ignore them would let in whoever lacks them',
  (_what, requirements, message) => {
    const remedy = /, and scopes are not checked; write `\w+: \[\]`, and let the handler decide/;
    expect(() => secure(requirements)).toThrow(`openapi.yaml: security scheme ${message}`);
    expect(() => secure(requirements)).toThrow(remedy);
  },
);

test('where the document asks for nothing, everybody is let in, as nobody', async () => {
  expect(await secure([])(head())).toBeUndefined();
});

test.each([
  ['a bearer token', named('people'), bearer('p'), 'Ada'],
  ['a bearer token of a scheme by reference', named('referred'), bearer('r'), 'Rose'],
  ['a name and a password with a colon', named('guests'), basic('Zoë:a:b'), 'Zoë'],
  ['a key in a header', named('key'), head({ 'x-key': 'k y' }), 'key holder'],
  ['a key in the query', named('queryKey'), head({}, '/?a=b&key=k%20y'), 'key holder'],
  ['a key in a cookie', named('cookieKey'), head({ cookie: 'a=b; session=k%20y' }), 'key holder'],
])('%s lets in whoever it belongs to', async (_name, requirement, request, name) => {
  expect(await secure([requirement])(request)).toEqual({ name });
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
      body: { error },
      headers: challenge === undefined ? {} : { 'WWW-Authenticate': challenge },
    });
  },
);

test('any of several alternatives lets in', async () => {
  const authenticate = secure([named('people'), named('machines')]);
  expect(await authenticate(bearer('p'))).toEqual({ name: 'Ada' });
  expect(await authenticate(bearer('m'))).toEqual({ name: 'robot' });
});

test('all schemes of one alternative must agree', async () => {
  const authenticate = secure([named('people', 'key')]);
  const both = head({ authorization: 'Bearer p', 'x-key': 'k y' });
  expect(await authenticate(both)).toEqual({ name: 'Ada' });
  await expect(authenticate(bearer('p'))).rejects.toMatchObject({ body: { error: 40101 } });
  await expect(authenticate(head({ 'x-key': 'k y' }))).rejects.toMatchObject({ body: { error: 40101 } });
});

test.each([
  ['last', [named('people'), {}]],
  ['first', [{}, named('people')]],
])(
  'an alternative of nothing, %s, lets everybody in, and knows those who say who they are',
  async (_where, requirements) => {
    const authenticate = secure(requirements);
    expect(await authenticate(head())).toBeUndefined();
    expect(await authenticate(bearer('p'))).toEqual({ name: 'Ada' });
    expect(await authenticate(bearer('x'))).toBeUndefined();
  },
);

test('a token of a scheme that the operation does not name lets nobody in', async () => {
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
      return { name: 'anybody' };
    };
    const people = { type: 'bearer', authenticate } as const;
    const check = createAuthentication(
      { components: { securitySchemes: schemes } },
      { people },
    )([named('people')]);
    await expect((async () => check(bearer(token)))()).rejects.toMatchObject({ status: 401 });
    expect(asked).toEqual([]);
  },
);
