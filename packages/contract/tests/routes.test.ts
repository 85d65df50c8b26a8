import fc from 'fast-check';
import { createRoutes } from '../src/routing/routes.ts';

const { find, methodsAt } = createRoutes([
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

test('a path without the method still lists its methods', () => {
  expect(find('PUT', '/a/b')).toBeUndefined();
  expect(methodsAt('/a/b')).toEqual(['GET', 'HEAD', 'POST']);
  expect(methodsAt('/a')).toEqual([]);
  expect(methodsAt('*')).toEqual([]);
});

test('a path with a slash at its end is another path than the one without', () => {
  const { find } = createRoutes(['/a/', '/b', '/c', '/c/', '/'].map((path) => ({ method: 'GET', path })));
  const found = ['/a', '/a/', '/b', '/b/', '/c', '/c/', '/', '//'].map(
    (path) => find('GET', path)?.route.path,
  );
  expect(found).toEqual([undefined, '/a/', '/b', undefined, '/c', '/c/', '/', undefined]);
});

const { find: findTemplate } = createRoutes(
  [
    '/things/{id}',
    '/things/mine',
    '/things/{id}/leaves/{leaf}',
    '/files/{name}.json',
    '/files/{name}',
    '/{any}/x',
  ].map((path) => ({ method: 'GET', path })),
);

test.each([
  ['/things/41', '/things/{id}', { id: '41' }],
  ['/things/mine', '/things/mine', {}],
  ['/things/a%2Fb', '/things/{id}', { id: 'a%2Fb' }],
  ['/things/1/leaves/2', '/things/{id}/leaves/{leaf}', { id: '1', leaf: '2' }],
  ['/files/a.json', '/files/{name}.json', { name: 'a' }],
  ['/files/a.txt', '/files/{name}', { name: 'a.txt' }],
  ['/things/x', '/things/{id}', { id: 'x' }],
  ['/moss/x', '/{any}/x', { any: 'moss' }],
])('%s is %s: a literal segment wins over a template', (target, path, values) => {
  expect(findTemplate('GET', target)).toEqual({ route: { method: 'GET', path }, path: values });
});

test.each([
  ['/v1-x', '/v1-{b}'],
  ['/v2-x', '/{a}-{b}'],
  ['/v2', '/{a}'],
  ['/(.x', '/(.{b}'],
  ['/()x', '/()x'],
])('%s is %s: the more characters are literal, the sooner', (target, path) => {
  const { find } = createRoutes(
    ['/{a}', '/{a}-{b}', '/v1-{b}', '/{a}{b}', '/(.{b}', '/()x'].map((each) => ({
      method: 'GET',
      path: each,
    })),
  );
  expect(find('GET', target)?.route.path).toBe(path);
});

test.each(['/things/', '/things', '/things/1/leaves', '/files/'])(
  '%s leaves a gap, and is not found',
  (target) => {
    expect(findTemplate('GET', target)).toBeUndefined();
  },
);

test.each([
  ['/a b', '/a%20b', {}],
  ['/a%20b', '/a%20b', {}],
  ['/%61b%2fc', '/ab%2Fc', {}],
  ['/a%23b', '/a%23b', {}],
  ['/100%', '/100%25', {}],
  ['/%7Bid%7D', '/%7bid%7d', {}],
  ['/%7Bid%7D/{x}', '/%7Bid%7D/1', { x: '1' }],
  ['/a b{x}', '/a%20b%20c', { x: '%20c' }],
  ['/{x}%20möhre', '/1%20m%c3%b6hre', { x: '1' }],
  ['/{x};{y}', '/1;2%3B', { x: '1', y: '2%3B' }],
])('the path %s of a contract is found at %s', (path, target, values) => {
  const { find } = createRoutes([{ method: 'GET', path }]);
  expect(find('GET', target)).toEqual({ route: { method: 'GET', path }, path: values });
});

test.each([
  ['/a%20b', '/a%2520b'],
  ['/%7Bid%7D', '/1'],
  ['/a%2Fb', '/a/b'],
])('the path %s of a contract is not found at %s', (path, target) => {
  expect(createRoutes([{ method: 'GET', path }]).find('GET', target)).toBeUndefined();
});

test('a template has the method that the literal beside it has not', () => {
  const both = createRoutes([
    { method: 'GET', path: '/things/mine' },
    { method: 'DELETE', path: '/things/{id}' },
  ]);
  expect(both.find('DELETE', '/things/mine')?.route.path).toBe('/things/{id}');
  expect(both.methodsAt('/things/mine')).toEqual(['GET', 'HEAD', 'DELETE']);
});

test('GET also serves HEAD, unless the path declares HEAD itself', () => {
  const { find, methodsAt } = createRoutes([
    { method: 'GET', path: '/a' },
    { method: 'GET', path: '/{b}/c' },
    { method: 'GET', path: '/both' },
    { method: 'HEAD', path: '/both' },
    { method: 'POST', path: '/none' },
  ]);
  expect(find('HEAD', '/a')?.route).toEqual({ method: 'GET', path: '/a' });
  expect(find('HEAD', '/x/c')).toEqual({ route: { method: 'GET', path: '/{b}/c' }, path: { b: 'x' } });
  expect(find('HEAD', '/both')?.route.method).toBe('HEAD');
  expect(find('HEAD', '/none')).toBeUndefined();
  expect(methodsAt('/none')).toEqual(['POST']);
  expect(methodsAt('/both')).toEqual(['GET', 'HEAD']);
});

test('paths that differ in the names of their parameters are distinguished by later segments', () => {
  const { find } = createRoutes(['/{a}/x', '/{b}/y', '/{a}/{c}'].map((path) => ({ method: 'GET', path })));
  expect(find('GET', '/1/x')).toEqual({ route: { method: 'GET', path: '/{a}/x' }, path: { a: '1' } });
  expect(find('GET', '/1/y')).toEqual({ route: { method: 'GET', path: '/{b}/y' }, path: { b: '1' } });
  expect(find('GET', '/1/z')?.path).toEqual({ a: '1', c: 'z' });
});

/** The meaning of a template: each parameter takes as few characters as possible, from left to right. */
const lazily = (segment: string): RegExp => {
  const literals = segment.split(/\{[^}]*\}/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literals.join('(.+?)')}$`, 's');
};

test('a segment with several parameters is matched as a lazy regular expression would', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.'), maxLength: 8 });
  const literals = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 2 }), {
    minLength: 2,
    maxLength: 5,
  });
  const property = fc.property(literals, text, (pieces, sent) => {
    const segment = pieces.reduce((before, piece, index) => `${before}{p${index}}${piece}`);
    const [, ...values] = lazily(segment).exec(sent) ?? [];
    const { find } = createRoutes([{ method: 'GET', path: `/${segment}` }]);
    expect(Object.values(find('GET', `/${sent}`)?.path ?? {})).toEqual(values);
  });
  fc.assert(property, { numRuns: 3000 });
});

test.each([
  ['runs of a literal', '/r/{a}-{b}-{c}.json', `/r/${'-'.repeat(16_000)}`],
  ['many parameters', '/r/{a}-{b}-{c}-{d}-{e}-{f}.json', `/r/${'x-'.repeat(8_000)}`],
  ['parameters side by side', '/r/{a}{b}{c}{d}!', `/r/${'x'.repeat(16_000)}`],
  ['slashes', '/{a}/{b}/{c}/{d}', '/'.repeat(16_000)],
  ['segments', '/{a}/{b}/{c}/{d}', '/a'.repeat(8_000)],
  ['percent signs', '/r/x/{b}', `/r/${'%'.repeat(16_000)}`],
  ['encoded characters', '/r/x/{b}', `/r/${'%C3%BC'.repeat(2_700)}`],
  ['an absolute target with a long host', '/r', `http://${'%E4%B8%80%E4%B9%80'.repeat(900)}/r`],
])('%s take next to no time', (_name, path, target) => {
  // 200 alike beside it, and a hundred requests: each alone took seconds, or milliseconds too many.
  const others = Array.from({ length: 200 }, (_, index) => `${path}${index}`);
  const { find } = createRoutes([path, ...others].map((each) => ({ method: 'GET', path: each })));
  const began = process.cpuUsage(); // other programs on the machine do not count
  for (let nth = 0; nth < 100; nth += 1) expect(find('GET', target)).toBeUndefined();
  expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
});
