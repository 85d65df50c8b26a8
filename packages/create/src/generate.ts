/**
 * Brings the project up to date with openapi.yaml: writes generated/openapi.ts, src/handlers.ts, and a stub for each
 * operation that has no handler. `npm run dev` does the same whenever the contract is saved.
 *
 *   npm run generate               write what is stale or missing
 *   npm run generate -- --check    write nothing; exit 1 and name each file that is stale or missing
 *   npm run generate -- --strict   take warnings for errors
 */
import { parseArgs } from 'node:util';
import { planArtifacts, writeArtifact } from './generate/artifacts.ts';
import { toLine } from './generate/checks/complaints.ts';

const generate = async (isCheck: boolean, isStrict: boolean): Promise<boolean> => {
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

/** `trellis generate [--check] [--strict]`. Gives the exit code. */
export const runGenerate = async (args: readonly string[]): Promise<number> => {
  const { values: flags } = parseArgs({
    args: [...args],
    options: { check: { type: 'boolean', default: false }, strict: { type: 'boolean', default: false } },
  });
  return (await generate(flags.check, flags.strict)) ? 0 : 1;
};
