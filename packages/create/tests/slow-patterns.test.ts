import { findSlowPatterns } from '../src/generate/checks/slow-patterns.ts';

const messagesFor = (pattern: string): string[] =>
  findSlowPatterns({ components: { schemas: { Text: { type: 'string', pattern } } } }).map(
    ({ message }) => message,
  );

const REMEDY = 'write it so that no text can be matched in two ways, or let the handler check the text';

test.each([
  ['with many repetitions', `^(${'a+b*'.repeat(11)})+$`],
  ['that is nested deeply', `${'('.repeat(5000)}a${')'.repeat(5000)}`],
])('a pattern %s is named, and not judged', (_what, pattern) => {
  expect(messagesFor(pattern)).toEqual([`pattern ${pattern} is not judged, and may be slow; ${REMEDY}`]);
});

test('a pattern that is not valid is not judged here, and a quick one is not named', () => {
  expect(['(', '^[a-z]+(-[a-z]+)*$'].flatMap(messagesFor)).toEqual([]);
});
