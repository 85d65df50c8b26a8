import { decoderFor } from '../support/operation.ts';

test.each<[format: string, type: string, right: unknown, wrong: unknown]>([
  ['date-time', 'string', '2026-11-15T03:42:00.5+01:00', '2026-11-15 03:42:00'],
  ['date-time', 'string', '2024-02-29T23:59:60Z', '2023-02-29T00:00:00Z'],
  ['date', 'string', '2024-02-29', '2023-02-29'],
  ['time', 'string', '03:42:00Z', '25:00:00Z'],
  ['duration', 'string', 'P1DT2H', '1 day'],
  ['uuid', 'string', '6b5f3a52-9f0c-4b5e-8b1c-0d8f3f1e2a4b', '6b5f3a52-9f0c-4b5e-8b1c'],
  ['email', 'string', 'a.b+c@example.org', 'a.example.org'],
  ['email', 'string', 'dev@localhost', 'dev@'],
  ['email', 'string', 'dev@web-1', 'dev@localhost.'],
  ['email', 'string', 'dev@a.localhost', 'dev@a..localhost'],
  ['hostname', 'string', 'example.org', '-example.org'],
  ['ipv4', 'string', '127.0.0.1', '127.0.0.256'],
  ['ipv6', 'string', '::1', ':::1'],
  ['uri', 'string', 'https://example.org/a?b#c', '/a'],
  ['uri-reference', 'string', '/a?b#c', 'a b'],
  ['regex', 'string', '^a$', '('],
  ['regex', 'string', '[(]{1,2}\\(((a)|b)\\1', 'a'.repeat(1001)],
  ['json-pointer', 'string', '/a/b', 'a/b'],
  ['byte', 'string', 'aGVsbG8=', 'aGVsbG8'],
  ['byte', 'string', '', '<script>\n'],
  ['byte', 'string', 'aGVsbA==', 'aGVsbA=='.repeat(2)],
  ['byte', 'string', '+/+/', '===='],
  ['byte', 'string', 'QUFBQQ==', 'QUFB\nQUFB'],
  ['url', 'string', 'https://u:p@example.org:8080/a?b#c@d', 'https://example.org/ a'],
  ['url', 'string', 'ftp://93.184.216.34', 'http://'],
  ['url', 'string', 'http://möhre.example/', 'http://example.org\n'],
  ['url', 'string', 'http://a-b.example.org', 'gopher://example.org'],
  ['url', 'string', 'http://localhost:3000/hook', 'http://localhost:99999/hook'],
  ['url', 'string', 'http://192.168.0.10:8080/x', 'http://192.168.0.300/'],
  ['url', 'string', 'http://web:8080', 'http://we b:8080'],
  ['url', 'string', 'https://x', 'https:// x'],
  ['url', 'string', 'http://[::1]:3000', 'http://[::1'],
  ['url', 'string', 'http://host_1/a|b?{c}', 'http://host\t1/'],
  ['url', 'string', 'http://10.0.0.1', `http://${'a'.repeat(1001)}/`],
  ['uri', 'string', 'http://möhre.example/ä', 'http://möhre.example/ä b'],
  ['uri', 'string', 'http://localhost:3000/hook', 'localhost/hook'],
  ['uri', 'string', 'urn:isbn:0451450523', 'isbn 0451450523'],
  ['uri-reference', 'string', 'http://möhre.example/', '//möhre.example /'],
  ['uri-template', 'string', '/a{?b,c}', '/a{'],
  ['relative-json-pointer', 'string', '0/a', 'a'],
  ['int32', 'integer', -(2 ** 31), 2 ** 31],
])('%s is enforced on a %s', async (format, type, right, wrong) => {
  const decode = await decoderFor({ type, format });
  expect(await decode(JSON.stringify(right))).toEqual(right);
  await expect(decode(JSON.stringify(wrong))).rejects.toThrow(new RegExp(`^body must be an? ${format}$`));
});

test.each([
  ['float', 'number', 1.5],
  ['double', 'number', 1e308],
  ['binary', 'string', '\u00ff\u0001'],
  ['password', 'string', 'whatever it is'],
  ['of-our-own', 'string', 'whatever it is'],
  ['of-our-own', 'integer', 7],
])('%s accepts every %s', async (format, type, value) => {
  const decode = await decoderFor({ type, format });
  expect(await decode(JSON.stringify(value))).toEqual(value);
});

test.each(['date-time', 'uuid', 'email', 'uri', 'byte', 'int32'])(
  '%s says nothing of other types',
  async (format) => {
    const decode = await decoderFor({ format });
    expect(await decode('[]')).toEqual([]);
  },
);
