import { hash } from 'node:crypto';
import { createStaticTokens } from '@trellis/server';

const HASHED = 'a token that is nowhere but here';

const { authenticate } = createStaticTokens([
  { name: 'alice', token: 'abc' },
  { name: 'bob', token: 'def', scopes: ['read', 'write:own'] },
  { name: 'carol', sha256: hash('sha256', HASHED) },
]);

test('a token resolves to its owner and scopes', () => {
  expect([authenticate('abc'), authenticate('def')]).toEqual([
    { name: 'alice', scopes: [] },
    { name: 'bob', scopes: ['read', 'write:own'] },
  ]);
});

test('a token given by its hash resolves to its owner, and the hash itself is not a token', () => {
  expect(authenticate(HASHED)).toEqual({ name: 'carol', scopes: [] });
  expect(authenticate(hash('sha256', HASHED))).toBeUndefined();
});

test.each(['', 'ab', 'abcd', 'ABC', 'abc ', 'alice', 'toString', '__proto__'])(
  '"%s" is not a token',
  (token) => {
    expect(authenticate(token)).toBeUndefined();
  },
);
