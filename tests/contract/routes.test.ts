import { createRoutes } from '../../src/contract/routes.ts';

const find = createRoutes([
  { method: 'GET', path: '/a/b' },
  { method: 'POST', path: '/a/b' },
  { method: 'GET', path: '/pflanzen/möhre' },
]);

test.each(['/a/b', '/a/b?c=/d', '/%61/%62', 'http://elsewhere/a/b', '/a/b?%'])('%s is found', (target) => {
  expect(find('GET', target)).toEqual({ route: { method: 'GET', path: '/a/b' }, path: {} });
});

test('a path in UTF-8 is found by its encoding', () => {
  expect(find('GET', '/pflanzen/m%C3%B6hre')).toEqual({
    route: { method: 'GET', path: '/pflanzen/möhre' },
    path: {},
  });
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

const templates = createRoutes(
  [
    '/plants/{id}',
    '/plants/mine',
    '/plants/{id}/leaves/{leaf}',
    '/files/{name}.json',
    '/files/{name}',
    '/{any}/x',
  ].map((path) => ({ method: 'GET', path })),
);

test.each([
  ['/plants/41', '/plants/{id}', { id: '41' }],
  ['/plants/mine', '/plants/mine', {}],
  ['/plants/a%2Fb', '/plants/{id}', { id: 'a%2Fb' }],
  ['/plants/1/leaves/2', '/plants/{id}/leaves/{leaf}', { id: '1', leaf: '2' }],
  ['/files/a.json', '/files/{name}.json', { name: 'a' }],
  ['/files/a.txt', '/files/{name}', { name: 'a.txt' }],
  ['/plants/x', '/plants/{id}', { id: 'x' }],
  ['/moss/x', '/{any}/x', { any: 'moss' }],
])('%s is %s: what is literal goes before what is not', (target, path, values) => {
  expect(templates('GET', target)).toEqual({ route: { method: 'GET', path }, path: values });
});

test.each([
  ['/v1-x', '/v1-{b}'],
  ['/v2-x', '/{a}-{b}'],
  ['/v2', '/{a}'],
  ['/(.x', '/(.{b}'],
  ['/()x', '/()x'],
])('%s is %s: the more characters are literal, the sooner', (target, path) => {
  const find = createRoutes(
    ['/{a}', '/{a}-{b}', '/v1-{b}', '/{a}{b}', '/(.{b}', '/()x'].map((each) => ({
      method: 'GET',
      path: each,
    })),
  );
  expect(find('GET', target)?.route.path).toBe(path);
});

test.each(['/plants/', '/plants', '/plants/1/leaves', '/files/'])(
  '%s leaves a gap, and is not found',
  (target) => {
    expect(templates('GET', target)).toBeUndefined();
  },
);

test('a template has the method that the literal beside it has not', () => {
  const both = createRoutes([
    { method: 'GET', path: '/plants/mine' },
    { method: 'DELETE', path: '/plants/{id}' },
  ]);
  expect(both('DELETE', '/plants/mine')?.route.path).toBe('/plants/{id}');
  expect(() => both('PUT', '/plants/mine')).toThrow('use GET, DELETE');
});
