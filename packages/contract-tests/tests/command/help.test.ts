import { OPTIONS, renderHelp } from '../../src/command/options.ts';

test('the help has all options, and no other', () => {
  const names = [...renderHelp('tester').matchAll(/^ {2}--([\w-]+)/gm)].map(([, name]) => name);
  expect(names.sort()).toEqual(Object.keys(OPTIONS).sort());
});
