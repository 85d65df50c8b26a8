import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import type { ReferenceFiles } from './files.ts';

const BROWSER = new URL('browser/', import.meta.url);

/** Bundles the reference for browsers: a script and a style sheet. The metafile lists the bundled modules. */
export const buildReference = async (): Promise<ReferenceFiles & { readonly metafile: Metafile }> => {
  const { outputFiles, metafile } = await build({
    entryPoints: { reference: fileURLToPath(new URL('main.tsx', BROWSER)) },
    outdir: 'dist',
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['es2022'],
    conditions: ['source'],
    tsconfig: fileURLToPath(new URL('tsconfig.json', BROWSER)),
    charset: 'utf8',
    legalComments: 'none', // the licences are in a separate file
    metafile: true,
    logLevel: 'warning',
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css'), metafile };
};

/** Renders a module with the built files, which replaces this package where it is packed or bundled. */
export const renderModule = ({ script, style }: ReferenceFiles): string =>
  `const files = ${JSON.stringify({ script, style })};\nexport const loadReference = async () => files;\n`;
