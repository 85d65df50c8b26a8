import { chmodSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { openThings, useFolders } from './things.ts';
import { protect, unprotect, whyNoWriteProtection } from './write-protection.ts';

const { makePath } = useFolders();

/** Root may write to any file, unless the file is made immutable. */
const isRoot = process.getuid?.() === 0;
const makeReadOnly = (path: string) => (isRoot ? protect([path]) : chmodSync(path, 0o444));
const makeWritable = (path: string) => (isRoot ? unprotect([path]) : chmodSync(path, 0o644));
const testReadOnly = isRoot && whyNoWriteProtection() !== undefined ? test.skip : test;

testReadOnly(
  'a file that cannot be written to is refused with the remedy, and nothing is left beside it',
  async () => {
    const path = await makePath();
    await (await openThings(path)).close();
    makeReadOnly(path);
    const refusal = await openThings(path).catch((error: unknown) => error);
    makeWritable(path);
    expect(refusal).toMatchObject({
      message: expect.stringMatching(
        /cannot be used: .*; let this user write to it and to its folder, or name/,
      ),
    });
    expect(readdirSync(dirname(path))).toEqual(['things.db']);
  },
);

testReadOnly('a file that can only be read is served again once it can be written to', async () => {
  const path = await makePath();
  const away = `${path}.away`;
  const things = await openThings(path);
  await things.create({ id: 1n, name: 'Lamp' });
  renameSync(path, away);
  expect(await things.check()).toBe('failing');
  renameSync(away, path);
  makeReadOnly(path);
  const whileReadOnly = [await things.check(), await things.check()];
  makeWritable(path);
  expect(whileReadOnly).toEqual(['readonly', 'readonly']);
  expect(await things.create({ id: 1n, name: 'Lamp' })).toBe('unchanged');
  await things.close();
});

testReadOnly('what SQLite opened to be read only is opened again once it can be written to', async () => {
  const path = await makePath();
  await (await openThings(path)).close();
  writeFileSync(`${path}-wal`, '');
  makeReadOnly(`${path}-wal`);
  const things = await openThings(path);
  const whileReadOnly = await things.create({ id: 1n, name: 'Lamp' }).catch((error: unknown) => error);
  makeWritable(`${path}-wal`);
  expect(whileReadOnly).toMatchObject({ reason: 'readonly' });
  expect(await things.create({ id: 1n, name: 'Lamp' })).toBe('created');
  await things.close();
});
