/**
 * The command `trellis` for this repository, which works on the sources of the packages: `npm run generate`, `dev`, `build`
 * and `new`.
 */
import { type Config, runTrellis } from '@trellis/create';
import { buildReference, renderModule } from '@trellis/reference/build';
import type { Plugin } from 'esbuild';

/** The folders of the packages that the API reference is made of. */
let bundled: readonly string[] = [];

/** Puts the files of the API reference into the program that is built. */
const embedReference: Plugin = {
  name: 'reference',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@trellis\/reference$/ }, () => ({ path: 'reference', namespace: 'built' }));
    onLoad({ filter: /^/, namespace: 'built' }, async () => {
      const reference = await buildReference();
      const folders = Object.keys(reference.metafile.inputs).map(
        (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0],
      );
      bundled = [...new Set(folders)].filter((folder) => folder !== undefined);
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
};

process.exitCode = await runTrellis(process.argv.slice(2), CONFIG);
