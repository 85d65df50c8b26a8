import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../tests/support/scratch.ts';
import { compilePattern } from '../../openapi/src/document/pattern.ts';
import { renderSupport, SUPPORT } from '../src/generate/support.ts';

test('docs/reference/openapi-support.md says what the list in code says', async () => {
  const page = await readFile(join(ROOT, 'docs/reference/openapi-support.md'), 'utf8');
  expect(page.slice(page.indexOf('## '))).toBe(renderSupport());
});

test('the list names every keyword of a schema once', () => {
  const named = (SUPPORT.Schemas ?? []).flatMap(([members]) => members.split(', '));
  expect(new Set(named).size).toBe(named.length);
  expect(named).toEqual(expect.arrayContaining(['$ref', 'oneOf', 'unevaluatedItems', 'nullable', 'default']));
});

test('a pattern that is valid without the flag `u` only is compiled so', () => {
  expect(compilePattern('^[\\w-.]+$')?.test('a-b')).toBe(true);
  expect(compilePattern('(')).toBeUndefined();
});
