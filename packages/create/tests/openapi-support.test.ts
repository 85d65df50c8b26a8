import { compilePattern } from '@trellis/openapi/internal/schema';
import { tableUnder } from '@trellis/test-support/pages';

const PAGE = 'docs/reference/openapi.md';

test.each(['Document', 'Paths and operations', 'Parameters', 'Bodies and responses', 'Security', 'Schemas'])(
  'the list says of each row under %s what becomes of it',
  (heading) => {
    const rows = tableUnder(PAGE, heading);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(([, fate = '']) => !/^(?:served|warned|refused|ignored)\b/.test(fate))).toEqual([]);
  },
);

test('the list names every keyword of a schema once', () => {
  const named = tableUnder(PAGE, 'Schemas').flatMap(([members = '']) => members.split(', '));
  expect(new Set(named).size).toBe(named.length);
  expect(named).toEqual(expect.arrayContaining(['$ref', 'oneOf', 'unevaluatedItems', 'nullable', 'default']));
});

test('a pattern that is valid without the flag `u` only is compiled so', () => {
  expect(compilePattern('^[\\w-.]+$')?.test('a-b')).toBe(true);
  expect(compilePattern('(')).toBeUndefined();
});
