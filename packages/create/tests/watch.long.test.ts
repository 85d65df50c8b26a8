import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolders } from '@trellis/test-support/temporary';
import { createWatch, type Watch } from '../src/dev/watch.ts';

const makeFolder = temporaryFolders();

let folder: string;
let watch: Watch;

const at = (name: string): string => join(folder, name);

/** Waits for an edit, as the command does; none in time fails the test. */
const nextChange = async (): Promise<string[]> => {
  const changed = await watch.next();
  return changed.map((file) => relative(folder, file)).sort();
};

/** Longer than two polls: an edit that is not reported by then is not reported at all. */
const QUIET_MS = 500;

/** Unlinks and creates, as git does: the new file may get the inode of the old one. */
const replace = async (name: string, text: string): Promise<void> => {
  await unlink(at(name));
  await writeFile(at(name), text);
};

beforeEach(async () => {
  folder = await makeFolder();
  await mkdir(at('src/deep'), { recursive: true });
  await mkdir(at('elsewhere'));
  await writeFile(at('src/deep/code.ts'), 'one');
  await writeFile(at('elsewhere/contract.yaml'), 'one');
  await writeFile(at('contract.yaml'), 'one');
  await symlink(at('elsewhere/contract.yaml'), at('linked.yaml'));
  watch = createWatch([at('src'), at('contract.yaml'), at('linked.yaml')]);
});

test.each(['contract.yaml', 'src/deep/code.ts'])(
  '%s is heard however it is saved, again and again',
  async (name) => {
    for (const round of ['two', 'three']) {
      await replace(name, `${round}, replaced`);
      expect(await nextChange()).toEqual([name]);
      await writeFile(at(name), `${round}, in place`);
      expect(await nextChange()).toEqual([name]);
      await writeFile(at('draft'), `${round}, renamed over`);
      await rename(at('draft'), at(name));
      expect(await nextChange()).toEqual([name]);
      await writeFile(at(name), `${round}, in place after that`);
      expect(await nextChange()).toEqual([name]);
    }
  },
);

test('a file behind a link is heard, and so is a link that is set anew', async () => {
  await replace('elsewhere/contract.yaml', 'two');
  expect(await nextChange()).toEqual(['linked.yaml']);
  await writeFile(at('elsewhere/contract.yaml'), 'three');
  expect(await nextChange()).toEqual(['linked.yaml']);
  await writeFile(at('elsewhere/other.yaml'), 'four');
  await unlink(at('linked.yaml'));
  await symlink(at('elsewhere/other.yaml'), at('linked.yaml'));
  expect(await nextChange()).toEqual(['linked.yaml']);
  await writeFile(at('elsewhere/other.yaml'), 'five');
  expect(await nextChange()).toEqual(['linked.yaml']);
});

test('a folder that is removed and made again is heard', async () => {
  await rm(at('src/deep'), { recursive: true });
  await mkdir(at('src/deep'));
  await writeFile(at('src/deep/code.ts'), 'two');
  expect(await nextChange()).toEqual(['src/deep/code.ts']);
  await writeFile(at('src/deep/code.ts'), 'three');
  expect(await nextChange()).toEqual(['src/deep/code.ts']);
  await mkdir(at('src/deep/deeper'));
  await writeFile(at('src/deep/deeper/more.ts'), 'one');
  expect(await nextChange()).toEqual(['src/deep/deeper/more.ts']);
  await rm(at('src'), { recursive: true });
  expect(await nextChange()).toContain('src/deep/code.ts');
});

test('a file in a folder that is not there yet is heard when it comes', async () => {
  watch.add([at('parts/part.yaml')]);
  const edited = nextChange();
  await sleep(QUIET_MS);
  await mkdir(at('parts'));
  await writeFile(at('parts/part.yaml'), 'one');
  expect(await edited).toEqual(['parts/part.yaml']);
});

test('what this program writes and drafts of editors are no change', async () => {
  await writeFile(at('src/deep/code.ts'), 'two');
  watch.accept(at('src/deep/code.ts'));
  await writeFile(at('src/deep/.code.ts.swp'), 'one');
  await writeFile(at('src/deep/code.ts~'), 'one');
  const edited = nextChange();
  await sleep(QUIET_MS);
  await writeFile(at('contract.yaml'), 'two');
  expect(await edited).toEqual(['contract.yaml']);
});

test('files that are saved one after the other are one edit', async () => {
  const edited = nextChange();
  await writeFile(at('src/deep/code.ts'), '');
  await sleep(100);
  await writeFile(at('src/deep/code.ts'), 'two');
  await writeFile(at('contract.yaml'), 'two');
  expect(await edited).toEqual(['contract.yaml', 'src/deep/code.ts']);
});
