import { createSecurity } from '../../src/contract/security.ts';

const schemes = {
  people: { type: 'http', scheme: 'Bearer' },
  machines: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key', scheme: 'bearer' },
  constructor: { type: 'http', scheme: 'bearer' },
};
const secure = createSecurity(
  { components: { securitySchemes: schemes } },
  {
    people: (token) => (token === 'p' ? { name: 'Ada' } : undefined),
    machines: async (token) => {
      if (token === 'outage') throw new Error('the key server is away');
      return token === 'm' ? { name: 'robot' } : undefined;
    },
  },
);

test.each([
  ['a scheme of http that is not bearer', { basic: [] }],
  ['a scheme of another type', { key: [] }],
  ['a scheme that the document does not have', { nobody: [] }],
  ['a scheme named like something that every object has', { hasOwnProperty: [] }],
  ['two schemes at once', { people: [], machines: [] }],
  ['the choice to send nothing', {}],
])('%s stops the start, and is named', (_name, requirement) => {
  expect(() => secure([{ people: [] }, requirement])).toThrow(
    `security ${JSON.stringify(requirement)} is not served; use one http bearer scheme`,
  );
});

test('what every object has is no authenticator', () => {
  const requirement = Object.fromEntries([['constructor', []]]);
  expect(() => secure([requirement])).toThrow('security scheme constructor has no authenticator');
});

test('where the document asks for nothing, everybody is let in, as nobody', async () => {
  expect(await secure([])({})).toBeUndefined();
});

test('any of several alternatives lets in', async () => {
  const authenticate = secure([{ people: [] }, { machines: [] }]);
  expect(await authenticate({ authorization: 'Bearer p' })).toEqual({ name: 'Ada' });
  expect(await authenticate({ authorization: 'Bearer m' })).toEqual({ name: 'robot' });
});

test('a token of a scheme that the operation does not name lets nobody in', async () => {
  await expect(secure([{ people: [] }])({ authorization: 'Bearer m' })).rejects.toMatchObject({
    status: 401,
  });
});

test('an outage is not taken for a wrong token', async () => {
  const authenticate = secure([{ machines: [] }]);
  await expect(authenticate({ authorization: 'Bearer outage' })).rejects.toThrow('the key server is away');
});

test.each(['', 'with space', 'ünï', '=', 'a,b'])(
  '"%s" can be no token, and no authenticator is asked',
  async (token) => {
    const asked: string[] = [];
    const ask = (sent: string) => {
      asked.push(sent);
      return { name: 'anybody' };
    };
    const authenticate = createSecurity(
      { components: { securitySchemes: schemes } },
      { people: ask },
    )([{ people: [] }]);
    await expect(authenticate({ authorization: `Bearer ${token}` })).rejects.toMatchObject({ status: 401 });
    expect(asked).toEqual([]);
  },
);
