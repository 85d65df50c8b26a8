import { createRoutes } from '../../src/contract/routes.ts';

const find = createRoutes([
  { method: 'GET', path: '/a/b' },
  { method: 'POST', path: '/a/b' },
  { method: 'GET', path: '/pflanzen/möhre' },
]);

test.each(['/a/b', '/a/b?c=/d', '/%61/%62', 'http://elsewhere/a/b', '/a/b?%'])('%s is found', (target) => {
  expect(find('GET', target)).toEqual({ method: 'GET', path: '/a/b' });
});

test('a path in UTF-8 is found by its encoding', () => {
  expect(find('GET', '/pflanzen/m%C3%B6hre')).toEqual({ method: 'GET', path: '/pflanzen/möhre' });
});

test.each(['/a%2Fb', '/a%2fb', '/a//b', '/a/b/', '/A/b', '/a/%', '*', '', 'http://['])(
  '%s is not',
  (target) => {
    expect(find('GET', target)).toBeUndefined();
  },
);

test('a method that the path does not have is told those that it has', () => {
  expect(() => find('PUT', '/a/b')).toThrow('PUT is not allowed on /a/b; use GET, POST');
});
