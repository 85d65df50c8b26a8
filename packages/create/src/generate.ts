/** Updates the project to openapi.yaml. `npm run dev` does the same on every save of the contract. */
import { planArtifacts, writeArtifact } from './generate/artifacts.ts';
import { toLine } from './generate/checks/complaints.ts';

/** How the command was called. */
interface Options {
  readonly isCheck: boolean;
  readonly isStrict: boolean;
}

/** `trellis generate`. False if the contract has errors, or if a check finds files that are not up to date. */
export const runGenerate = async ({ isCheck, isStrict }: Options): Promise<boolean> => {
  const { problems, warnings, generated, stale, stubs } = await planArtifacts();
  const errors = isStrict ? [...problems, ...warnings] : problems;
  if (errors.length > 0) {
    console.error(errors.join('\n'));
    return false;
  }
  for (const warning of warnings) console.error(`warning: ${warning}`);
  if (isCheck && stale.length + stubs.length > 0) {
    const complaints = [
      ...stale.map(({ file }) => `${file} is stale`),
      ...stubs.map(({ file }) => `${file} is missing`),
    ];
    console.error(`${complaints.join('\n')}\nrun \`npm run generate\` and commit the result`);
    return false;
  }
  for (const artifact of [...stale, ...stubs]) await writeArtifact(artifact);
  const written = new Set(stale.map(({ file }) => file));
  for (const file of generated) console.log(`${file} ${written.has(file) ? 'written' : 'is up to date'}`);
  for (const { file, method, path } of stubs)
    console.log(toLine(`${file} written, a stub for ${method} ${path}`));
  return true;
};
