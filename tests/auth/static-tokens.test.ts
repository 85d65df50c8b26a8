import { createStaticTokens } from '../../src/auth/static-tokens.ts';

const { authenticate } = createStaticTokens([
  { name: 'alice', token: 'abc' },
  { name: 'bob', token: 'def' },
]);

test('a token tells whose it is', () => {
  expect([authenticate('abc'), authenticate('def')]).toEqual([{ name: 'alice' }, { name: 'bob' }]);
});

test.each(['', 'ab', 'abcd', 'ABC', 'abc ', 'alice', 'toString', '__proto__'])(
  '"%s" is nobody\'s token',
  (token) => {
    expect(authenticate(token)).toBeUndefined();
  },
);
