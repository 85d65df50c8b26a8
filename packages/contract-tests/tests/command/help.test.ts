import { runTests } from '../run.ts';

test('the help has the options of the command, and no other', async () => {
  const { text } = await runTests(['--help']);
  const names = [...text.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names)
    expect((await runTests([`--${name}`, 'a', 'b'])).text).not.toContain('Unknown option');
  expect((await runTests(['--other'])).text).toContain("Unknown option '--other'");
});
