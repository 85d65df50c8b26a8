/**
 * The command `trellis` for this repository, which works on the sources of the packages: `npm run generate`, `dev`, `build`
 * and `new`.
 */
import { type Config, runTrellis } from '@trellis/create';
import { buildReference, renderModule } from '@trellis/reference/build';
import type { Plugin } from 'esbuild';

/** Puts the files of the API reference into the program that is built. */
const embedReference: Plugin = {
  name: 'reference',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@trellis\/reference$/ }, () => ({ path: 'reference', namespace: 'built' }));
    onLoad({ filter: /^/, namespace: 'built' }, async () => ({
      contents: renderModule(await buildReference()),
    }));
  },
};

const CONFIG: Config = {
  conditions: ['source'],
  plugins: [embedReference],
  inputs: ['packages', 'scripts/trellis.ts'],
  sources: ['packages'],
};

process.exitCode = await runTrellis(process.argv.slice(2), CONFIG);
