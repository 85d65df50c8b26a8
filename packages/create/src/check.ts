import { checkTypes } from './compiler.ts';
import { runGenerate } from './generate.ts';

/** `trellis check`: checks the types, and that the generated files are up to date. */
export const runCheck = async (): Promise<boolean> => {
  const isUpToDate = await runGenerate({ isCheck: true, isStrict: false });
  const fits = await checkTypes();
  if (fits) console.log('the types fit');
  return fits && isUpToDate;
};
