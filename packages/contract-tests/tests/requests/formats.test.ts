import { valueChecks } from '../values-service.ts';

const check = valueChecks(['valid']);

test.each([
  ['email', 'dev@localhost', 'dev@'],
  ['email', "o'brien@a-b.example.com", 'o brien@example.com'],
  ['url', 'http://localhost:3000/hook', 'http://localhost:99999/'],
  ['url', 'http://10.0.0.1:8080', 'gopher://10.0.0.1'],
  ['uri', 'http://möhre.example/', 'http://möhre.example/ a'],
  ['uri', 'urn:isbn:0451450523', 'isbn 0451450523'],
  ['uri-reference', '../a?b', 'a b'],
])('a reply may have the %s %j, but not %j', async (format, right, wrong) => {
  const schema = `{ type: string, format: ${format} }`;
  const replying = (text: string) =>
    check(schema, { takes: () => true, reply: () => JSON.stringify(text) }, {}, 1);
  expect(await replying(right)).toMatchObject({ failures: 0 });
  expect((await replying(wrong)).text).toContain(`the body must match format "${format}"`);
});
