import { createTokenCache } from '../../src/auth/jwt.ts';

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
