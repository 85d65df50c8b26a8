/** Copies a contract into a project, where it is openapi.yaml, with the files that it refers to. */
import { cp, readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { loadDocument, readPage } from '../../src/contract/document/load.ts';
import { ownMember } from '../../src/contract/json/pointer.ts';

/** The files that a contract is made of, the first of them its own. `generate` tells better why one cannot be read. */
const filesOf = async (spec: string): Promise<string[]> => {
  const files: string[] = [];
  const read = (path: string) => {
    files.push(path);
    return readPage(path);
  };
  await loadDocument(spec, read).catch(() => undefined);
  return [...new Set([spec, ...files])];
};

/** Copies the contract, and gives the names that its files have in the project. */
export const copyContract = async (spec: string, folder: string): Promise<string[]> => {
  await readFile(spec).catch((error: unknown) => {
    throw new Error(`the contract cannot be read: ${error instanceof Error ? error.message : error}`);
  });
  const names: string[] = [];
  for (const file of await filesOf(spec)) {
    const name = file === spec ? 'openapi.yaml' : relative(dirname(spec), file);
    if (name.startsWith('..') || isAbsolute(name))
      throw new Error(`${file} is outside the folder of ${basename(spec)}; move it there`);
    await cp(file, join(folder, name), { errorOnExist: true, force: false });
    names.push(name);
  }
  return names;
};

/** The title of a contract, in one line; `undefined` if it has none. */
export const readTitle = async (spec: string): Promise<string | undefined> => {
  const document = await readPage(spec).catch(() => undefined);
  const title = ownMember(ownMember(document, 'info'), 'title');
  return typeof title === 'string' && title.trim() !== '' ? title.trim().replaceAll(/\s+/g, ' ') : undefined;
};
