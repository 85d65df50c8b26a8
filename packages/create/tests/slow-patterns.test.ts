import { findSlowPatterns } from '../src/generate/checks/slow-patterns.ts';

const messagesFor = async (...patterns: string[]) => {
  const found = await findSlowPatterns(patterns.map((pattern) => ({ pattern, place: undefined })));
  return found.map(({ subject, message }) => `${subject} ${message}`.trim().replace(/[,;] .*/, ''));
};

test('a pattern that is too long for the analysis is named, and not judged', async () => {
  const long = `^(${Array.from({ length: 80 }, (_, nth) => `word${nth}x?`).join('|')})+$`;
  expect(await messagesFor(long)).toEqual([`pattern ${long} is not judged`]);
});

test('a pattern that a client can make slow is named with its time, and a quick one is not', async () => {
  expect(await messagesFor('^(a+)+$', '^[a-z]+$')).toEqual(['pattern ^(a+)+$ takes exponential time']);
});
