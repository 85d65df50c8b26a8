import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { importsOf } from './imports.ts';

/**
 * Removes the declarations that no entry of a package leads to: nobody can import them, and some refer to packages that
 * are bundled, and so not installed.
 */
export const removeUnusedDeclarations = (folder: string): void => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const used = new Set<string>();
  const use = (file: string): void => {
    if (used.has(file)) return;
    used.add(file);
    for (const path of importsOf(file).filter((each) => each.startsWith('.')))
      use(resolve(dirname(file), path.replace(/\.[jt]s$/, '.d.ts')));
  };
  for (const { types } of Object.values<{ readonly types?: string }>(exports))
    if (types !== undefined) use(resolve(folder, types));
  for (const file of readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }))
    if (file.endsWith('.d.ts') && !used.has(resolve(folder, 'dist', file)))
      rmSync(join(folder, 'dist', file));
};
