import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFiles } from '@trellis/openapi/internal/files';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import type { Config } from '../config.ts';
import { renderLicences } from './licences.ts';

/**
 * Packages that are loaded from node_modules at run time: they look for binaries or files next to themselves, or are
 * optional.
 */
const EXTERNAL = ['@photostructure/sqlite', 'pg-native'];

/** Bundled CommonJS modules call `require` for Node's own modules, and an ES module does not have it. */
const REQUIRE = `import { createRequire as createRequireHere } from 'node:module';
const require = createRequireHere(import.meta.url);`;

/** What all programs have in common. */
const COMMON: BuildOptions & { readonly metafile: true } = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  mainFields: ['module', 'main'], // a fifth of OpenTelemetry is used, and only of ES modules can the rest be left out
  banner: { js: REQUIRE },
  // A single character beyond Latin-1, even in a comment, makes V8 store the file with two bytes per character.
  minifyWhitespace: true,
  lineLimit: 110,
  legalComments: 'none', // see below
  sourcemap: 'linked', // for `node --enable-source-maps`
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
};

/** Entry points of the programs: the project's, and the worker thread of `@trellis/data`. */
const ENTRY_POINTS = ['./src/cli.ts', './src/main.ts'];
const THREAD = '@trellis/data/internal/thread';

/** Whether the project depends on `@trellis/data`. */
const hasData = (): boolean => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  return Object.hasOwn({ ...dependencies, ...devDependencies }, '@trellis/data');
};

/** The contract tests, a separate file, so that starting the service does not load them. */
const TESTER = '@trellis/contract-tests';
const apartFrom = (module: string, file: string): Plugin => ({
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^${module}$`) }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: file, external: true },
    );
  },
});

/** The files that the programs read. They are one folder above the programs, as they are above the sources. */
const writeData = async (folder: string): Promise<void> => {
  const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, type: 'module' })}\n`);
  const { texts } = await readFiles('openapi.yaml');
  for (const url of texts.keys()) {
    const file = relative('.', fileURLToPath(url));
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(file, join(folder, file));
  }
};

/**
 * Bundles the programs into a few files instead of hundreds, which shortens a start by a fifth. Code that is loaded on
 * demand (PostgreSQL, JWT, the commands) stays in separate files.
 */
export const buildPrograms = async (
  folder: string,
  { conditions = [], plugins = [], bundled = () => [] }: Config,
): Promise<void> => {
  const bin = join(folder, 'bin');
  const common = { ...COMMON, conditions: [...conditions] };
  const [service, tester] = await Promise.all([
    build({
      ...common,
      entryPoints: [...ENTRY_POINTS, ...(hasData() ? [THREAD] : [])],
      outdir: bin,
      entryNames: '[name]',
      splitting: true,
      plugins: [apartFrom(TESTER, './contract-tests.js'), ...plugins],
    }),
    build({ ...common, entryPoints: [TESTER], outfile: join(bin, 'contract-tests.js') }),
    writeData(folder),
  ]);
  writeFileSync(join(bin, 'LICENSES.txt'), renderLicences(service.metafile, tester.metafile, ...bundled()));
};
