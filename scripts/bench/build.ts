import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { othersApart } from '../support/others-apart.ts';

const BENCH = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The built file of a server, by the name of its source. */
export const builtFile = (name: string): string => join(BENCH, 'dist', `${name}.js`);

/** Bundles the limit and the peers as the service is bundled: a loader that compiles on the fly would slow them down. */
export const buildServers = async (): Promise<void> => {
  const peers = readdirSync(join(BENCH, 'peers')).map((name) => join(BENCH, 'peers', name));
  const servers = ['limit', 'bare-node', 'bare-express'].map((name) => join(BENCH, 'servers', `${name}.ts`));
  await build({
    entryPoints: [...servers, ...peers],
    absWorkingDir: ROOT,
    outdir: join(BENCH, 'dist'),
    entryNames: '[name]',
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['source'],
    plugins: [othersApart],
    logLevel: 'error',
  });
};

const isInstalled = (): boolean => {
  const installed = join(BENCH, 'node_modules/.package-lock.json');
  return (
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(BENCH, 'package-lock.json')).mtimeMs
  );
};

/** Installs the peers from the lock file of the benchmark, unless they are installed already. */
export const installPeers = (report: (text: string) => void): void => {
  if (isInstalled()) return;
  report('installing the peers (scripts/bench/package.json)');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: BENCH, timeout: 600_000, stdio: 'pipe' });
};
