/**
 * The command `trellis` for this repository, which works on the sources of the packages: `npm run generate`, `dev`,
 * `build` and `new`. New projects get the packages as they are packed from these sources.
 */
import { type Config, runTrellis } from '@trellis/create';
import { buildReference, renderModule } from '@trellis/reference/internal/build';
import type { Metafile, Plugin } from 'esbuild';

/** The metafiles of the API reference. */
const bundled: Metafile[] = [];

/** Puts the files of the API reference into the program that is built. */
const embedReference: Plugin = {
  name: 'reference',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@trellis\/reference$/ }, () => ({ path: 'reference', namespace: 'built' }));
    onLoad({ filter: /^/, namespace: 'built' }, async () => {
      const reference = await buildReference();
      bundled.push(reference.metafile);
      return { contents: renderModule(reference) };
    });
  },
};

const CONFIG: Config = {
  conditions: ['source'],
  plugins: [embedReference],
  bundled: () => bundled,
  inputs: ['packages', 'scripts/trellis.ts'],
  sources: ['packages'],
  tarballs: async () => (await import('./pack/pack.ts')).packPackages(),
};

process.exitCode = await runTrellis(process.argv.slice(2), CONFIG);
