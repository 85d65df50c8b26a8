import { asksForCredentials } from '@trellis/openapi/internal/document';

const key = [{ key: [] }];

test.each([
  ['nothing is said', {}, undefined],
  ['the document asks for nothing', {}, []],
  ['the operation overrides the document', { security: [] }, key],
  ['credentials are optional', { security: [{}, ...key] }, undefined],
])('a contract is public where %s', (_why, get, security) => {
  expect(asksForCredentials({ security, paths: { '/a': { get } } })).toBe(false);
});

test.each([
  ['the document', {}, key],
  ['an operation', { security: key }, undefined],
  ['an operation of a path item by reference', { security: key }, []],
])('a contract is not public where %s asks for credentials', (_who, get, security) => {
  const paths = { '/a': { get: { security: [] } }, '/b': { $ref: '#/components/pathItems/b' } };
  expect(asksForCredentials({ security, paths, components: { pathItems: { b: { get } } } })).toBe(true);
});

test('webhooks are sent by others, and do not count', () => {
  expect(asksForCredentials({ paths: {}, webhooks: { done: { post: { security: key } } } })).toBe(false);
});

test.each([
  [['key'], false],
  [['key', 'unused'], false],
  [['other'], true],
])('a contract whose operations ask for key, except for %j, asks for credentials: %j', (except, asks) => {
  const paths = { '/a': { get: { security: key } }, '/b': { get: { security: [{}, { other: [] }] } } };
  expect(asksForCredentials({ paths }, except)).toBe(asks);
});
