import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** What npm writes into a lock file must hold for every registry, also one that the user has set. */
const OPTIONS = ['--omit-lockfile-registry-resolved', '--no-audit', '--no-fund', '--prefer-offline'];

/** Resolves a path from the folder where the user typed the command. npm changes to the folder of package.json. */
export const fromCaller = (path: string): string => resolve(process.env.INIT_CWD ?? '.', path);

/**
 * The environment for npm in another folder. npm passes its own folder to child processes in variables, which are
 * removed.
 */
export const environmentElsewhere = (): NodeJS.ProcessEnv => {
  const { npm_config_local_prefix: _, INIT_CWD: __, npm_package_json: ___, ...others } = process.env;
  return others;
};

const reasonIn = (output: string): string =>
  output
    .split('\n')
    .filter((line) => /^npm (?:error|ERR!)/.test(line) && !/A complete log|^npm error\s*$/.test(line))
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, ''))
    .join('\n') || output.trim();

/** Runs npm in a folder and returns its output. Throws the reason if it fails. */
export const runNpm = async (cwd: string, args: readonly string[]): Promise<string> => {
  const child = spawn('npm', [...args, ...OPTIONS], {
    cwd,
    env: environmentElsewhere(),
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`npm ${args[0]} failed: ${reasonIn(output.stderr)}`);
  return output.stdout;
};
