/** Bundles libraries into a package, so that its users install only the parts that it uses. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, sep } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { renderLicences } from '../../packages/create/src/build/licences.ts';
import { importsOf } from './compile.ts';

/**
 * Bundled CommonJS modules call `require` for Node's own modules, and an ES module does not have it. `trellis build`
 * writes the same above its bundles, under another name.
 */
const REQUIRE = `import { createRequire as createRequireInPackage } from 'node:module';
const require = createRequireInPackage(import.meta.url);`;

/** The package of a module: `ajv` for `ajv/dist/2020.js`. */
const packageOf = (module: string): string => module.split('/', module.startsWith('@') ? 2 : 1).join('/');

interface PackageInfo {
  /** The folder of the package in this repository. */
  readonly source: string;
  /** Its compiled files. */
  readonly dist: string;
  readonly dependencies: ReadonlySet<string>;
  readonly isBundled: (module: string) => boolean;
}

/** A dependency that a bundled CommonJS module requires: an import of it, which later bundlers can follow. */
const SHARED = 'shared';

/** Lets libraries into the bundle, with whatever they need, and leaves everything else that the package imports. */
const bundleLibraries = ({ source, dist, dependencies, isBundled }: PackageInfo): Plugin => ({
  name: 'libraries',
  setup({ onLoad, onResolve, resolve }) {
    const find = async (path: string, resolveDir: string) =>
      resolve(path, { kind: 'require-call', resolveDir, pluginData: 'found here' });
    onLoad({ filter: /^/, namespace: SHARED }, ({ path }) => ({
      contents: `export * from '${path}'; export { default } from '${path}';`,
    }));
    onResolve({ filter: /^/, namespace: SHARED }, ({ path }) => ({ path, external: true }));
    onResolve(
      { filter: /^/, namespace: 'file' },
      async ({ path, importer, kind, resolveDir, pluginData }) => {
        if (pluginData !== undefined || kind === 'entry-point' || isBuiltin(path)) return undefined;
        if (importer.startsWith(dist + sep))
          return isBundled(path)
            ? resolve(path, { kind, resolveDir: source, pluginData: 'found here' })
            : { path, external: true };
        // A library may need a dependency of ours: the same version is not bundled a second time.
        if (!dependencies.has(path)) return undefined;
        const [theirs, ours] = await Promise.all([find(path, resolveDir), find(path, source)]);
        if (theirs.path !== ours.path) return undefined;
        return kind === 'require-call' ? { path, namespace: SHARED } : { path, external: true };
      },
    );
  },
});

/** Removes the files of the package itself, whose licence is included anyway. */
const withoutOwn = (metafile: Metafile): Metafile => ({
  ...metafile,
  inputs: Object.fromEntries(
    Object.entries(metafile.inputs).filter(([file]) => !file.includes('/@trellis/')),
  ),
});

/**
 * Bundles the libraries that a package imports and has under `devDependencies`, with their licences. `source` is the
 * folder of the package in this repository, `folder` the one that is packed.
 */
export const bundleDependencies = async (source: string, folder: string): Promise<void> => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  );
  const info: PackageInfo = {
    source,
    dist: join(folder, 'dist'),
    dependencies: new Set(Object.keys(dependencies)),
    isBundled: (module) => Object.hasOwn(devDependencies, packageOf(module)),
  };
  const entryPoints = readdirSync(info.dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(info.dist, file))
    .filter((file) => importsOf(file).some(info.isBundled));
  if (entryPoints.length === 0) return;
  const { metafile } = await build({
    entryPoints,
    outdir: info.dist,
    outbase: info.dist,
    chunkNames: 'bundled/[name]-[hash]',
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    mainFields: ['module', 'main'], // unused parts of ES modules can be left out
    plugins: [bundleLibraries(info)],
    banner: { js: REQUIRE },
    minifyWhitespace: true,
    legalComments: 'none', // they are in LICENSES.txt
    metafile: true,
  });
  writeFileSync(join(info.dist, 'LICENSES.txt'), renderLicences(withoutOwn(metafile)));
};
