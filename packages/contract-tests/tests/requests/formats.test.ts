import { createContract } from '../../src/document/contract.ts';
import { sourcesOf } from '../../src/document/sources.ts';

const { reply } = createContract(
  sourcesOf({ openapi: '3.1.0', info: { title: 'Formats', version: '1' }, paths: {} }),
);

test.each([
  ['email', 'dev@localhost', 'dev@'],
  ['email', "o'brien@a-b.example.com", 'o brien@example.com'],
  ['url', 'http://localhost:3000/hook', 'http://localhost:99999/'],
  ['url', 'http://10.0.0.1:8080', 'gopher://10.0.0.1'],
  ['uri', 'http://möhre.example/', 'http://möhre.example/ a'],
  ['uri', 'urn:isbn:0451450523', 'isbn 0451450523'],
  ['uri-reference', '../a?b', 'a b'],
])('a reply may have the %s %j, but not %j', (format, right, wrong) => {
  expect([right, wrong].map((text) => reply.accepts({ type: 'string', format }, text))).toEqual([
    true,
    false,
  ]);
});
