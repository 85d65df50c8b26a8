/**
 * openapi.yaml -> generated/openapi.ts and src/handlers.ts, and a stub for each operation that has no handler.
 *
 *   npm run generate               write what the contract says
 *   npm run generate -- --check    exit 1, naming the file, where something is stale or missing
 *   npm run generate -- --watch    write again on every change of the contract
 */
import { watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { planArtifacts, writeArtifact } from './artifacts.ts';
import { CONTRACT } from './read-contract.ts';

const generate = async ({ check }: { check: boolean }): Promise<boolean> => {
  const { problems, generated, stale, stubs } = await planArtifacts();
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    return false;
  }
  if (check && stale.length + stubs.length > 0) {
    const wants = [
      ...stale.map(({ file }) => `${file} is stale`),
      ...stubs.map(({ file }) => `${file} is missing`),
    ];
    console.error(`${wants.join('\n')}\nrun \`npm run generate\` and commit the result`);
    return false;
  }
  for (const artifact of [...stale, ...stubs]) await writeArtifact(artifact);
  const written = new Set(stale.map(({ file }) => file));
  for (const file of generated) console.log(`${file} ${written.has(file) ? 'written' : 'is up to date'}`);
  for (const { file, method, path } of stubs) console.log(`${file} written, a stub for ${method} ${path}`);
  return true;
};

const { values: flags } = parseArgs({
  options: { check: { type: 'boolean', default: false }, watch: { type: 'boolean', default: false } },
});
if (flags.watch) {
  // Before the first run, so that no edit goes unseen. Editors replace files rather than write to them, so the
  // folder is watched, and a burst of events counts once.
  let timer: NodeJS.Timeout | undefined;
  watch(dirname(CONTRACT), (_event, file) => {
    if (file !== basename(CONTRACT)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void generate({ check: false }).catch(console.error), 50);
  });
}
const succeeded = await generate(flags);
if (!flags.watch) process.exitCode = succeeded ? 0 : 1;
