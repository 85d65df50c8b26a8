import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Finds the TypeScript compiler of the project, of any version; if it has none, the one that generates its types. */
export const findCompiler = (): string => {
  const paths = [process.cwd(), import.meta.dirname];
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json', { paths });
  return join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.tsc);
};

/** Checks the types of the project, and prints what does not fit. True if all of it does. */
export const checkTypes = async (...options: readonly string[]): Promise<boolean> => {
  const child = spawn(process.execPath, [findCompiler(), '--noEmit', ...options], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
};
