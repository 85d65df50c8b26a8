import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

/** The program of the TypeScript compiler. */
export const TSC = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/** Checks the types of the project, and prints what does not fit. True if all of it does. */
export const checkTypes = async (...options: readonly string[]): Promise<boolean> => {
  const child = spawn(process.execPath, [TSC, '--noEmit', ...options], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
};
