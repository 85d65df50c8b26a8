import { createTypeCheck } from './dev/type-check.ts';
import { runGenerate } from './generate.ts';

/** `trellis check`: checks the types, and that the generated files are up to date. Gives the exit code. */
export const runCheck = async (): Promise<number> => {
  const drift = await runGenerate(['--check']);
  const errors = createTypeCheck()(() => false) ?? [];
  for (const error of errors) console.error(error);
  if (errors.length > 0) return 1;
  console.log('the types fit');
  return drift;
};
