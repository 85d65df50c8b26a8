import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { environmentOf, type Settings } from '../../../scripts/support/service.ts';

/** The built command, as `plant-store` runs it. */
export const CLI = fileURLToPath(new URL('../../../dist/bin/cli.js', import.meta.url));

/** Starts `plant-store` with arguments, in a folder. */
export const startCli = (cwd: string, args: readonly string[], settings: Settings = {}) => {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env: environmentOf(settings) });
  const output = { stdout: '', stderr: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  child.stdin.on('error', () => {}); // a command that is killed does not read to the end
  const closed = once(child, 'close');
  return {
    child,
    output,
    /** Settles once the command is over, with all that it said. */
    finish: async (input = '') => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output.stdout += text;
      });
      child.stdin.end(input);
      await closed;
      return { code: child.exitCode, ...output };
    },
  };
};

/** Runs `plant-store` with arguments until it is over. */
export const runCli = (cwd: string, args: readonly string[], settings: Settings = {}, input = '') =>
  startCli(cwd, args, settings).finish(input);

/** Lines of JSON, as an export writes them. */
export const makeLines = (count: number, lineOf = (id: number) => `{"id":${id},"name":"plant ${id}"}`) =>
  Array.from({ length: count }, (_, id) => `${lineOf(id)}\n`).join('');
