import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';

/**
 * Found in node_modules at run time: they have binaries or files of their own that they look for beside themselves, or
 * are only there for those who want them.
 */
const EXTERNAL = ['@photostructure/sqlite', 'pg-native'];

/** The modules of CommonJS ask for those of Node by `require`, which a module of ECMAScript does not have. */
const REQUIRE = `import { createRequire as createRequireHere } from 'node:module';
const require = createRequireHere(import.meta.url);`;

/** The folders of the packages that went into the programs. */
const packagesIn = ({ inputs }: Metafile): string[] => {
  const folders = Object.keys(inputs).map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
};

/** Most licences ask to be handed on with the code. */
const licenceOf = (folder: string): string => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version}, ${license}\n${text}`;
};

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * The programs in a few files instead of six hundred, which Node would have to find, read and keep: a start takes
 * four fifths of the time. What is loaded on demand (PostgreSQL, JWT, the commands) stays in files of its own.
 */
const { metafile } = await build({
  entryPoints: [
    'src/cli.ts',
    'src/main.ts',
    'src/engines/sqlite/thread.ts',
    'src/engines/sqlite/log-thread.ts',
  ],
  outdir: 'dist/bin',
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  banner: { js: REQUIRE },
  define: { BUILT_VERSION: JSON.stringify(version) }, // see src/program/package-files.ts
  // One character beyond Latin-1, in a comment, and V8 keeps the whole file at two bytes for each.
  minifyWhitespace: true,
  lineLimit: 110,
  legalComments: 'none', // see below
  sourcemap: 'linked', // for `node --enable-source-maps`
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
});
writeFileSync(
  'dist/bin/LICENSES.txt',
  packagesIn(metafile)
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`),
);
