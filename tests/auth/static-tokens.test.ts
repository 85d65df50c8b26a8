import { hash } from 'node:crypto';
import { createStaticTokens } from '../../src/auth/static-tokens.ts';

const HASHED = 'a token that is nowhere but here';

const { authenticate } = createStaticTokens([
  { name: 'alice', token: 'abc' },
  { name: 'bob', token: 'def' },
  { name: 'carol', sha256: hash('sha256', HASHED) },
]);

test('a token tells whose it is', () => {
  expect([authenticate('abc'), authenticate('def')]).toEqual([{ name: 'alice' }, { name: 'bob' }]);
});

test("a token that is known by its hash alone tells whose it is, and the hash is nobody's token", () => {
  expect(authenticate(HASHED)).toEqual({ name: 'carol' });
  expect(authenticate(hash('sha256', HASHED))).toBeUndefined();
});

test.each(['', 'ab', 'abcd', 'ABC', 'abc ', 'alice', 'toString', '__proto__'])(
  '"%s" is nobody\'s token',
  (token) => {
    expect(authenticate(token)).toBeUndefined();
  },
);
