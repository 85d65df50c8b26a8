import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from './run.ts';

const BENCH = fileURLToPath(new URL('..', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The built file of a server, by its source below scripts/bench. */
export const builtFile = (source: string): string =>
  join(BENCH, 'dist/scripts/bench', source.replace(/\.ts$/, '.js'));

/**
 * Compiles the limit and the peers to plain JavaScript: a loader that compiles on the fly would slow them down. Types are
 * not checked, because the peers may not be installed.
 */
export const buildServers = async (): Promise<void> => {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  await runProgram(process.execPath, [compiler, '-p', BENCH, '--noCheck'], { within: 120 });
};

const isInstalled = (): boolean => {
  const installed = join(BENCH, 'node_modules/.package-lock.json');
  return (
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(BENCH, 'package-lock.json')).mtimeMs
  );
};

/** Installs the peers from the lock file of the benchmark, unless they are installed already. */
export const installPeers = async (report: (text: string) => void): Promise<void> => {
  if (isInstalled()) return;
  report('installing the peers (scripts/bench/package.json)');
  await runProgram('npm', ['ci', '--no-audit', '--no-fund'], { cwd: BENCH, within: 600 });
};
