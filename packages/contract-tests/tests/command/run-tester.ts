import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Behaviour, startThings, THINGS_FILE, THINGS_TOKEN } from '../things-service.ts';

/** The built command of the package. */
const CLI = fileURLToPath(new URL('../../../../dist/bin/cli.js', import.meta.url));

/** Starts `test` of the built command. */
export const startTester = (
  cwd: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) => {
  const child = spawn(process.execPath, [CLI, 'test', ...flags], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const closed = once(child, 'close');
  return {
    child,
    finish: async () => {
      await closed;
      return { code: child.exitCode, ...output };
    },
  };
};

/** Runs `test` of the built command in a folder until it is over. */
export const runTester = (
  cwd: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) => startTester(cwd, flags, environment).finish();

/** Runs it against a service that gets something wrong, with ten requests. */
export const testThings = async (cwd: string, wrong: Partial<Behaviour>, flags: readonly string[]) => {
  const { url, bodies, close } = await startThings(wrong);
  const common = ['--spec', THINGS_FILE, '--token', THINGS_TOKEN, '--requests', '10', '--seed', '7'];
  try {
    return { ...(await runTester(cwd, [url, ...common, ...flags])), url, bodies };
  } finally {
    await close();
  }
};
