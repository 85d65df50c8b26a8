/**
 * openapi.yaml -> generated/openapi.ts and src/handlers.ts, and a stub for each operation that has no handler.
 *
 *   npm run generate               write what the contract says
 *   npm run generate -- --check    exit 1, naming the file, where something is stale or missing
 *   npm run generate -- --watch    write again on every change of the contract
 */
import { parseArgs } from 'node:util';
import { type FSWatcher, watch } from 'chokidar';
import { planArtifacts, writeArtifact } from './generate/artifacts.ts';
import { CONTRACT } from './generate/place.ts';

const generate = async ({ check }: { check: boolean }, watcher?: FSWatcher): Promise<boolean> => {
  const { problems, warnings, files, generated, stale, stubs } = await planArtifacts();
  watcher?.add([...files]);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    return false;
  }
  for (const warning of warnings) console.error(`warning: ${warning}`);
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

/** Before the first run, so that no edit goes unseen; a burst of events counts once. */
const generateOnEdits = (): FSWatcher => {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(CONTRACT, { ignoreInitial: true });
  return watcher.on('all', () => {
    clearTimeout(timer);
    // Longer than the 50 ms in which chokidar drops further edits of a file.
    timer = setTimeout(() => void generate({ check: false }, watcher).catch(console.error), 60);
  });
};

const succeeded = await generate(flags, flags.watch ? generateOnEdits() : undefined);
if (!flags.watch) process.exitCode = succeeded ? 0 : 1;
