import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { environmentOf, MAIN, type Settings } from '../../../scripts/support/service.ts';

/** Runs the service until it ends by itself: for starts that are refused. */
export const runProcess = async (cwd: string, settings: Settings = {}) => {
  const child = spawn(process.execPath, [MAIN], { cwd, env: environmentOf(settings) });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(`${chunk}`));
  await once(child, 'close');
  return { code: child.exitCode, output: output.join('') };
};
