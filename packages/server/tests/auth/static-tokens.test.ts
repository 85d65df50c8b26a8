import { hash } from 'node:crypto';
import { createStaticTokens } from '../../src/auth/static-tokens.ts';

const HASHED = 'a token that is nowhere but here';

const { authenticate } = createStaticTokens([
  { name: 'alice', token: 'abc' },
  { name: 'bob', token: 'def', scopes: ['read', 'write:own'] },
  { name: 'carol', sha256: hash('sha256', HASHED) },
]);

test('a token tells whose it is, and what they may do', () => {
  expect([authenticate('abc'), authenticate('def')]).toEqual([
    { name: 'alice', scopes: [] },
    { name: 'bob', scopes: ['read', 'write:own'] },
  ]);
});

test("a token that is known by its hash alone tells whose it is, and the hash is nobody's token", () => {
  expect(authenticate(HASHED)).toEqual({ name: 'carol', scopes: [] });
  expect(authenticate(hash('sha256', HASHED))).toBeUndefined();
});

test.each(['', 'ab', 'abcd', 'ABC', 'abc ', 'alice', 'toString', '__proto__'])(
  '"%s" is nobody\'s token',
  (token) => {
    expect(authenticate(token)).toBeUndefined();
  },
);
