import { createContract } from '@trellis/contract';
import fc from 'fast-check';
import { START, text } from './support/documents.ts';

/** Serves operations such as `GET /a/{b}`; each answers with itself and the values of its path. */
const serve = async (...operations: string[]) => {
  const split = operations.map((each) => each.split(/ (.*)/s));
  const paths: Record<string, object> = {};
  for (const [nth, [method = '', path = '']] of split.entries())
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: `nth${nth}`,
        parameters: [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => ({
          name,
          in: 'path',
          required: true,
          schema: text,
        })),
        responses: { 200: { description: '', content: { 'application/json': {} } } },
      },
    };
  const handlers = operations.map((found, nth) => [
    `nth${nth}`,
    async ({ path }: { path: object }) => ({ status: 200, body: { found, path } }),
  ]);
  const contract = await createContract({ ...START, paths }, Object.fromEntries(handlers));
  const ask = async (method: string, url: string) => contract({ method, url, headers: {} });
  return {
    /** The operation at a target and the values of its path; `undefined` without an operation. */
    find: async (target: string, method = 'GET'): Promise<unknown> => {
      const { status, body } = await ask(method, target);
      return status === 200 ? JSON.parse(String(body)) : undefined;
    },
    methodsAt: async (target: string) => (await ask('OPTIONS', target)).headers.Allow,
  };
};

const { find, methodsAt } = await serve('GET /a/b', 'POST /a/b', 'GET /pflanzen/möhre');

test.each(['/a/b', '/a/b?c=/d', '/%61/%62', 'http://elsewhere/a/b', '/a/b?%'])(
  '%s is found',
  async (target) => {
    expect(await find(target)).toEqual({ found: 'GET /a/b', path: {} });
  },
);

test('a path in UTF-8 is found by its encoding', async () => {
  expect(await find('/pflanzen/m%C3%B6hre')).toEqual({ found: 'GET /pflanzen/möhre', path: {} });
});

test.each(['/a%2Fb', '/a%2fb', '/a//b', '/a/b/', '/A/b', '/a/%', '*', '', 'http://['])(
  '%s is not',
  async (target) => {
    expect(await find(target)).toBeUndefined();
  },
);

test('a path without the method still lists its methods', async () => {
  expect(await find('/a/b', 'PUT')).toBeUndefined();
  expect(await methodsAt('/a/b')).toBe('GET, HEAD, POST, OPTIONS');
  expect(await methodsAt('/a')).toBeUndefined();
  expect(await methodsAt('*')).toBeUndefined();
});

test('a path with a slash at its end is another path than the one without', async () => {
  const { find } = await serve('GET /a/', 'GET /b', 'GET /c', 'GET /c/', 'GET /');
  const targets = ['/a', '/a/', '/b', '/b/', '/c', '/c/', '/', '//'];
  const found = await Promise.all(targets.map((target) => find(target)));
  expect(found.map((each) => Object(each).found)).toEqual(
    [undefined, '/a/', '/b', undefined, '/c', '/c/', '/', undefined].map((path) => path && `GET ${path}`),
  );
});

const { find: findTemplate } = await serve(
  'GET /things/{id}',
  'GET /things/mine',
  'GET /things/{id}/leaves/{leaf}',
  'GET /files/{name}.json',
  'GET /files/{name}',
  'GET /{any}/x',
);

test.each([
  ['/things/41', '/things/{id}', { id: '41' }],
  ['/things/mine', '/things/mine', {}],
  ['/things/a%2Fb', '/things/{id}', { id: 'a/b' }],
  ['/things/1/leaves/2', '/things/{id}/leaves/{leaf}', { id: '1', leaf: '2' }],
  ['/files/a.json', '/files/{name}.json', { name: 'a' }],
  ['/files/a.txt', '/files/{name}', { name: 'a.txt' }],
  ['/things/x', '/things/{id}', { id: 'x' }],
  ['/moss/x', '/{any}/x', { any: 'moss' }],
])('%s is %s: a literal segment wins over a template', async (target, found, path) => {
  expect(await findTemplate(target)).toEqual({ found: `GET ${found}`, path });
});

test.each([
  ['/v1-x', '/v1-{b}'],
  ['/v2-x', '/{a}-{b}'],
  ['/v2', '/{a}'],
  ['/(.x', '/(.{b}'],
  ['/()x', '/()x'],
])('%s is %s: the more characters are literal, the sooner', async (target, path) => {
  const { find } = await serve(
    ...['/{a}', '/{a}-{b}', '/v1-{b}', '/{a}{b}', '/(.{b}', '/()x'].map((each) => `GET ${each}`),
  );
  expect(await find(target)).toMatchObject({ found: `GET ${path}` });
});

test.each(['/things/', '/things', '/things/1/leaves', '/files/'])(
  '%s leaves a gap, and is not found',
  async (target) => {
    expect(await findTemplate(target)).toBeUndefined();
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
  ['/a b{x}', '/a%20b%20c', { x: ' c' }],
  ['/{x}%20möhre', '/1%20m%c3%b6hre', { x: '1' }],
  ['/{x};{y}', '/1;2%3B', { x: '1', y: '2;' }],
])('the path %s of a contract is found at %s', async (declared, target, path) => {
  const { find } = await serve(`GET ${declared}`);
  expect(await find(target)).toEqual({ found: `GET ${declared}`, path });
});

test.each([
  ['/a%20b', '/a%2520b'],
  ['/%7Bid%7D', '/1'],
  ['/a%2Fb', '/a/b'],
])('the path %s of a contract is not found at %s', async (path, target) => {
  expect(await (await serve(`GET ${path}`)).find(target)).toBeUndefined();
});

test('a template has the method that the literal beside it has not', async () => {
  const both = await serve('GET /things/mine', 'DELETE /things/{id}');
  expect(await both.find('/things/mine', 'DELETE')).toMatchObject({ found: 'DELETE /things/{id}' });
  expect(await both.methodsAt('/things/mine')).toBe('GET, HEAD, DELETE, OPTIONS');
});

test('GET also serves HEAD, unless the path declares HEAD itself', async () => {
  const { find, methodsAt } = await serve('GET /a', 'GET /{b}/c', 'GET /both', 'HEAD /both', 'POST /none');
  expect(await find('/a', 'HEAD')).toMatchObject({ found: 'GET /a' });
  expect(await find('/x/c', 'HEAD')).toEqual({ found: 'GET /{b}/c', path: { b: 'x' } });
  expect(await find('/both', 'HEAD')).toMatchObject({ found: 'HEAD /both' });
  expect(await find('/none', 'HEAD')).toBeUndefined();
  expect(await methodsAt('/none')).toBe('POST, OPTIONS');
  expect(await methodsAt('/both')).toBe('GET, HEAD, OPTIONS');
});

test('paths that differ in the names of their parameters are distinguished by later segments', async () => {
  const { find } = await serve('GET /{a}/x', 'GET /{b}/y', 'GET /{a}/{c}');
  expect(await find('/1/x')).toEqual({ found: 'GET /{a}/x', path: { a: '1' } });
  expect(await find('/1/y')).toEqual({ found: 'GET /{b}/y', path: { b: '1' } });
  expect(await find('/1/z')).toMatchObject({ path: { a: '1', c: 'z' } });
});

/** The meaning of a template: each parameter takes as few characters as possible, from left to right. */
const lazily = (segment: string): RegExp => {
  const literals = segment.split(/\{[^}]*\}/).map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literals.join('(.+?)')}$`, 's');
};

test('a segment with several parameters is matched as a lazy regular expression would', async () => {
  const sent = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', '-', '.'), minLength: 1, maxLength: 8 }),
    {
      minLength: 10,
      maxLength: 10,
    },
  );
  const literals = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 2 }), {
    minLength: 2,
    maxLength: 5,
  });
  const property = fc.asyncProperty(literals, sent, async (pieces, segments) => {
    const template = pieces.reduce((before, piece, index) => `${before}{p${index}}${piece}`);
    const { find } = await serve(`GET /x/${template}`);
    for (const segment of segments) {
      const [, ...values] = lazily(template).exec(segment) ?? [];
      expect(Object.values(Object(await find(`/x/${segment}`)).path ?? {})).toEqual(values);
    }
  });
  await fc.assert(property, { numRuns: 300 });
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
])('%s take next to no time', async (_name, path, target) => {
  // 200 alike beside it, and a hundred requests: each alone took seconds, or milliseconds too many.
  const others = Array.from({ length: 200 }, (_, index) => `GET ${path}${index}`);
  const { find } = await serve(`GET ${path}`, ...others);
  const began = process.cpuUsage(); // other programs on the machine do not count
  for (let nth = 0; nth < 50; nth += 1) expect(await find(target)).toBeUndefined();
  expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
});
