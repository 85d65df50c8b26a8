import { once } from 'node:events';
import { startChild } from '../src/dev/child.ts';

test('a program that `trellis dev` starts ends by itself once it has nothing left to do', async () => {
  const child = startChild(['--eval', ''], ['ignore', 'inherit', 'inherit']);
  const waiting = setTimeout(() => child.kill('SIGKILL'), 10_000);
  expect(await once(child, 'exit')).toEqual([0, null]);
  clearTimeout(waiting);
});
