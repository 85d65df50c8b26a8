import { build } from 'esbuild';

/** Found in node_modules at run time: they come with binaries of their own, or are only there for those who want them. */
const EXTERNAL = ['@photostructure/sqlite', 'pg-native'];

/** The modules of CommonJS ask for those of Node by `require`, which a module of ECMAScript does not have. */
const REQUIRE = `import { createRequire as createRequireHere } from 'node:module';
const require = createRequireHere(import.meta.url);`;

/**
 * The programs in a few files instead of six hundred, which Node would have to find, read and keep: a start takes
 * two thirds of the time. What is loaded on demand (PostgreSQL, JWT, the commands) stays in files of its own.
 */
await build({
  entryPoints: ['src/cli.ts', 'src/main.ts', 'src/storage/sqlite-thread.ts'],
  outdir: 'dist/bin',
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: EXTERNAL,
  banner: { js: REQUIRE },
  // One character beyond Latin-1, in a comment, and V8 keeps the whole file at two bytes for each.
  minifyWhitespace: true,
  lineLimit: 110, // so that a stack trace still tells the place
  legalComments: 'linked',
  logLevel: 'warning',
});
