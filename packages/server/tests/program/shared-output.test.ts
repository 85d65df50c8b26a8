import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { createSharedOutput } from '../../src/program/log/shared-output.ts';

/** The writes that lines are handed on in. */
const writesOf = async (text: string): Promise<Buffer[]> => {
  const writes: Buffer[] = [];
  const pipe = new PassThrough();
  pipe.on('data', (bytes: Buffer) => writes.push(bytes));
  const shared = createSharedOutput(pipe);
  shared.end(text);
  await once(shared, 'finish');
  return writes;
};

test.each([
  ['ASCII', 'a fern'],
  ['several bytes a character', 'ein Farn für Frau Müller, 41 €'],
])('lines of %s are written whole, as many at once as a pipe takes in one piece', async (_what, name) => {
  const text = `{"who":"${name}"}\n`.repeat(1000);
  const writes = await writesOf(text);
  expect(Buffer.concat(writes).toString()).toBe(text);
  for (const write of writes) {
    expect(write.length).toBeLessThanOrEqual(4096);
    expect(write.at(-1)).toBe(10);
  }
  expect(writes.length).toBeLessThan((2 * Buffer.byteLength(text)) / 4096);
});

test('a line that is longer than that is written by itself', async () => {
  const long = `${'a'.repeat(5000)}\n`;
  expect((await writesOf(`first\n${long}last\n`)).map(String)).toEqual(['first\n', long, 'last\n']);
});
