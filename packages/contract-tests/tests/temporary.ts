import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder for each test of a file, gone when the file is done. */
export const temporaryFolders = () => {
  const made: string[] = [];
  afterAll(() => Promise.all(made.map((folder) => rm(folder, { recursive: true, force: true }))));
  return async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'contract-tests-'));
    made.push(folder);
    return folder;
  };
};
