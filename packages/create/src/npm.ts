import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, ownMember } from '@trellis/openapi/internal/json';

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
  const options = {
    cwd,
    env: environmentElsewhere(),
    shell: process.platform === 'win32',
    maxBuffer: 2 ** 26,
  };
  const { stdout } = await promisify(execFile)('npm', [...args, ...OPTIONS], options).catch(
    (error: unknown) => {
      throw new Error(
        `npm ${args[0]} failed: ${reasonIn(String(ownMember(error, 'stderr') || messageOf(error)))}`,
      );
    },
  );
  return stdout;
};
