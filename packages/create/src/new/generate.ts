/** Runs `generate` in another project. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../generate.ts', import.meta.url));

/** Writes the types and the stubs of a project, and gives the warnings. Throws the reason if its contract is refused. */
export const generate = (folder: string): string => {
  // The packages are those of this project: the new one has none installed yet.
  const { status, stderr, error } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx/esm'), SCRIPT],
    { cwd: folder, encoding: 'utf8' },
  );
  if (error) throw error;
  if (status !== 0) throw new Error(`the contract cannot be served:\n${stderr.trim()}`);
  return stderr.trim();
};
