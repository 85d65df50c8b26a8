import { chmodSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { canProtect, protect, useFolders } from '../../support/files.ts';
import { openThings } from './things.ts';

const { makePath } = useFolders();

/** Root may write to any file, unless the file is made immutable. */
const isRoot = process.getuid?.() === 0;
const makeReadOnly = (path: string): (() => void) => {
  if (isRoot) return protect(path);
  chmodSync(path, 0o444);
  return () => chmodSync(path, 0o644);
};

(isRoot && !canProtect() ? test.skip : test).each([
  ['file', '', ['store.db']],
  ['log', '-wal', ['store.db', 'store.db-wal']],
])(
  'a %s that cannot be written to is refused with the remedy, and nothing is left beside it',
  async (_what, ending, left) => {
    const path = await makePath();
    await (await openThings(path)).close();
    if (ending) writeFileSync(path + ending, '');
    const makeWritable = makeReadOnly(path + ending);
    const refusal = await openThings(path).catch((error: unknown) => error);
    makeWritable();
    const remedy = /cannot be used: .*; let this user write to it and to its folder, or name/;
    expect(refusal).toMatchObject({ message: expect.stringMatching(remedy) });
    expect(readdirSync(dirname(path)).filter((name) => !name.endsWith('-shm'))).toEqual(left);
    await (await openThings(path)).close();
  },
);
