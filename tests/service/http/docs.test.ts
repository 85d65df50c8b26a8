import { cp, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MAIN, startProcess } from '../../../scripts/support/service.ts';
import { temporaryFolders } from '../../support/temporary.ts';
import { CONTRACT_FILE } from '../support/service.ts';

const makeFolder = temporaryFolders();

test('the API reference is served while a build replaces its files', async () => {
  const folder = await makeFolder();
  const root = dirname(CONTRACT_FILE);
  await cp(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const settings = { DATABASE_URL: 'memory:', ACCESS_TOKENS: 'a-token' };
  const service = await startProcess(
    folder,
    settings,
    join(folder, 'dist/bin', MAIN.slice(dirname(MAIN).length)),
  );
  await rm(join(folder, 'dist'), { recursive: true });
  for (const path of ['/docs', '/docs/reference.js', '/docs/reference.css'])
    expect([path, (await fetch(service.url + path)).status]).toEqual([path, 200]);
  await service.end();
});
