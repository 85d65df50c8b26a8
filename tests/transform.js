import { transformSync } from 'esbuild';

/** Turns TypeScript into JavaScript for jest. Types are checked by `npm run typecheck`, not here. */
export const process = (source, sourcefile) =>
  transformSync(source, { sourcefile, loader: 'ts', target: 'es2023', sourcemap: 'external' });
