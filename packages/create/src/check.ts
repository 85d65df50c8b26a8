import { createTypeCheck } from './dev/type-check.ts';
import { runGenerate } from './generate.ts';

/** `trellis check`: checks the types, and that the generated files are up to date. */
export const runCheck = async (): Promise<boolean> => {
  const isUpToDate = await runGenerate({ isCheck: true, isStrict: false });
  const errors = createTypeCheck()();
  for (const error of errors) console.error(error);
  if (errors.length > 0) return false;
  console.log('the types fit');
  return isUpToDate;
};
