import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderLicences } from '../../packages/create/src/build/licences.ts';
import { buildReference, renderModule } from '../../packages/reference/src/build.ts';

type Json = Record<string, unknown>;

/** Removes exports that are only for this repository: the `source` condition, and entries that are not built. */
const publicExports = (exports: Record<string, string | Record<string, string>>): Json =>
  Object.fromEntries(
    Object.entries(exports)
      .filter(([entry]) => entry !== './internal/build')
      .map(([entry, target]) => {
        if (typeof target === 'string') return [entry, target];
        const { source: _, ...built } = target;
        return [entry, built];
      }),
  );

const withVersion = (dependencies: Record<string, string> = {}, version: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => [
      name,
      name.startsWith('@trellis/') ? version : range,
    ]),
  );

/** Renders the package.json of a packed package. */
const renderManifest = (text: string, version?: string): string => {
  const {
    devDependencies: _,
    scripts: _scripts,
    exports,
    dependencies,
    sideEffects,
    ...own
  } = JSON.parse(text);
  const packed = {
    ...own,
    version: version ?? own.version,
    sideEffects: Array.isArray(sideEffects)
      ? sideEffects.filter((file: string) => file.startsWith('./dist/'))
      : sideEffects,
    exports: publicExports(exports),
    ...(dependencies && { dependencies: withVersion(dependencies, version ?? own.version) }),
  };
  return `${JSON.stringify(packed, null, 2)}\n`;
};

/** Puts into a folder with the compiled files of a package whatever else is packed. */
export const stagePackage = (source: string, folder: string, version?: string): void => {
  const manifest = readFileSync(join(source, 'package.json'), 'utf8');
  writeFileSync(join(folder, 'package.json'), renderManifest(manifest, version));
  if (existsSync(join(source, 'README.md')))
    copyFileSync(join(source, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(source, '../../LICENSE'), join(folder, 'LICENSE'));
  if (existsSync(join(source, 'src/new/template')))
    cpSync(join(source, 'src/new/template'), join(folder, 'dist/new/template'), { recursive: true });
};

/** Bundles the API reference into its package, with the licences of the bundled libraries. */
export const stageReference = async (folder: string): Promise<void> => {
  const { metafile, ...files } = await buildReference();
  writeFileSync(join(folder, 'dist/index.js'), renderModule(files));
  writeFileSync(join(folder, 'dist/LICENSES.txt'), renderLicences(metafile));
};
