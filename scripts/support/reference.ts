import { readFileSync } from 'node:fs';
import { build, type Metafile } from 'esbuild';

/**
 * Bundles the API reference for browsers: a script and a style sheet. Gives what they are made of. The service reads them
 * in `dist/docs`: see src/http/docs/assets.ts.
 */
export const buildReference = async (folder = 'dist/docs'): Promise<Metafile> => {
  const { name } = JSON.parse(readFileSync('package.json', 'utf8'));
  const { metafile } = await build({
    entryPoints: { reference: 'src/http/docs/browser/main.tsx' },
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: ['es2022'],
    tsconfig: 'src/http/docs/browser/tsconfig.json',
    define: { CLIENT_MODULE: JSON.stringify(`${name}/client`) },
    charset: 'utf8',
    legalComments: 'none', // scripts/build/programs.ts collects the licences
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
};
