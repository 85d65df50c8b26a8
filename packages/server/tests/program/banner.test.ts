import { stripVTControlCharacters } from 'node:util';
import { renderBanner } from '../../src/program/banner.ts';

const WELCOME = {
  title: 'Museum',
  address: 'http://127.0.0.1:3000',
  store: 'memory:',
  document: {
    security: [{ visitors: [] }],
    paths: { '/hours': { get: { summary: 'When we are open', responses: {} } } },
    components: { securitySchemes: { visitors: { type: 'http', scheme: 'bearer' } } },
  },
};

test.each([
  'postgres://app:s3cret@db.example:5432/app',
  'postgresql://db.example/app?user=app&password=s3cret',
  'postgres://app:s3cret/@db.example/app',
])('of %s no password is shown', (store) => {
  const banner = renderBanner({ ...WELCOME, store });
  expect(banner).toMatch(/^ {2}store +PostgreSQL$/m);
  expect(banner).not.toContain('s3cret');
});

test('a service without an API reference does not name one', () => {
  expect(renderBanner(WELCOME)).toMatch(/^ {2}docs /m);
  expect(renderBanner({ ...WELCOME, hasDocs: false })).not.toContain('docs');
});

test('the file of a store is shown verbatim', () => {
  expect(renderBanner({ ...WELCOME, store: 'sqlite:data/a@b?c.db' })).toContain('sqlite:data/a@b?c.db\n');
});

test('configured tokens are not shown; the line to paste has a place for one', () => {
  const banner = renderBanner(WELCOME);
  expect(banner).toContain('a token that you have configured');
  expect(banner).toContain("'Authorization: Bearer <ACCESS_TOKEN>'");
});

test('where no operation needs credentials, no token is spoken of', () => {
  const banner = renderBanner({
    ...WELCOME,
    document: { ...WELCOME.document, security: [] },
    isPublic: true,
  });
  expect(banner).toMatch(/token +none is needed\n/);
  expect(banner).toMatch(/curl -i 'http:\/\/127\.0\.0\.1:3000\/hours'\n/);
});

test('the token that the service has made is shown, with its file, and stands in the line to paste', () => {
  const banner = renderBanner({
    ...WELCOME,
    firstToken: { name: 'first', token: 't0ken', file: 'data/access-token' },
  });
  expect(banner).toContain('t0ken  (kept in data/access-token)');
  expect(banner).toContain(
    "When we are open:\n\n  curl -i 'http://127.0.0.1:3000/hours' -H 'Authorization: Bearer t0ken'\n",
  );
});

test.each([
  ['http://127.0.0.1:3000', '#token=t0ken'],
  ['http://[::1]:3000', '#token=t0ken'],
  ['http://192.0.2.7:3000', ''],
  ['http://museum.example', ''],
])(
  'the link to the reference at %s ends with "%s": the token that was made, on loopback only',
  (address, end) => {
    const firstToken = { name: 'first', token: 't0ken', file: 'data/access-token' };
    const rowOf = (banner: string) => /^ {2}docs +(\S+)$/m.exec(banner)?.[1];
    expect(rowOf(renderBanner({ ...WELCOME, address, firstToken }))).toBe(`${address}/docs${end}`);
    expect(rowOf(renderBanner({ ...WELCOME, address }))).toBe(`${address}/docs`);
  },
);

test('the address is where the operations are, and the reference is beside them', () => {
  const document = { ...WELCOME.document, servers: [{ url: 'https://museum.example/v1' }] };
  const banner = renderBanner({ ...WELCOME, document });
  expect(banner).toMatch(/^ {2}address +http:\/\/127\.0\.0\.1:3000\/v1$/m);
  expect(banner).toMatch(/^ {2}docs +http:\/\/127\.0\.0\.1:3000\/docs$/m);
  expect(banner).toContain("curl -i 'http://127.0.0.1:3000/v1/hours' ");
});

test('a contract without an operation to show still gets a banner', () => {
  const banner = renderBanner({ ...WELCOME, document: { paths: {} } });
  expect(banner).toContain('Museum is listening.');
  expect(banner).not.toContain('curl');
});

test('colours are for terminals that have them, and never in the line to paste', () => {
  const plain = renderBanner(WELCOME);
  const coloured = renderBanner({ ...WELCOME, inColour: true });
  expect(plain).not.toContain('\u001b');
  expect(stripVTControlCharacters(coloured)).toBe(plain);
  expect(coloured).not.toBe(plain);
  expect(coloured.split('\n').filter((line) => line.includes('curl'))).toEqual([
    expect.not.stringContaining('\u001b'),
  ]);
});
