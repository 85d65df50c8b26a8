import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { buildReference } from '../support/reference.ts';

/**
 * Packages that are loaded from node_modules at run time: they look for binaries or files next to themselves, or are
 * optional.
 */
const EXTERNAL = ['@photostructure/sqlite', 'pg-native'];

/** Bundled CommonJS modules call `require` for Node's own modules, and an ES module does not have it. */
const REQUIRE = `import { createRequire as createRequireHere } from 'node:module';
const require = createRequireHere(import.meta.url);`;

/** The folders of the packages that are bundled. */
const packagesIn = (...made: readonly Metafile[]): string[] => {
  const files = made.flatMap(({ inputs }) => Object.keys(inputs));
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
};

/** The licence of a package, which most licences require to be distributed with the code. */
const licenceOf = (folder: string): string => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
};

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/** What all programs have in common. */
const COMMON: BuildOptions & { readonly metafile: true } = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  mainFields: ['module', 'main'], // a fifth of OpenTelemetry is used, and only of ES modules can the rest be left out
  banner: { js: REQUIRE },
  define: { BUILT_VERSION: JSON.stringify(version) }, // see src/program/package-files.ts
  // A single character beyond Latin-1, even in a comment, makes V8 store the file with two bytes per character.
  minifyWhitespace: true,
  lineLimit: 110,
  legalComments: 'none', // see below
  sourcemap: 'linked', // for `node --enable-source-maps`
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
};

/** Where the code of the programs begins. */
const ENTRY_POINTS = [
  'src/cli.ts',
  'src/main.ts',
  'src/engines/sqlite/thread.ts',
  'src/engines/sqlite/log-thread.ts',
  'src/program/workers/guard.ts',
];

/**
 * Bundles the programs into a few files instead of six hundred: a start takes four fifths of the time. Code that is loaded
 * on demand (PostgreSQL, JWT, the commands) stays in files of its own. The contract tests share no file with the service,
 * so that a start of the service loads nothing of them.
 */
export const buildPrograms = async (folder: string): Promise<void> => {
  const bin = join(folder, 'bin');
  const [service, contractTests, reference] = await Promise.all([
    build({ ...COMMON, entryPoints: ENTRY_POINTS, outdir: bin, entryNames: '[name]', splitting: true }),
    build({
      ...COMMON,
      entryPoints: ['scripts/contract-tests/package/entry.ts'],
      outfile: join(bin, 'contract-tests.js'),
    }),
    buildReference(join(folder, 'docs')),
  ]);
  writeFileSync(
    join(bin, 'contract-tests.d.ts'),
    `${readFileSync('scripts/contract-tests/package/api.ts', 'utf8')}
/** Registers a test for each phase and operation of a contract. Await it where tests are registered. */
export declare const contractTests: ContractTests;
`,
  );
  writeFileSync(
    join(bin, 'LICENSES.txt'),
    packagesIn(service.metafile, contractTests.metafile, reference)
      .map(licenceOf)
      .join(`\n${'-'.repeat(80)}\n\n`),
  );
};
