import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { TOKEN } from '../../packages/server/tests/support/service.ts';

/** `npm run dev`, running in a copy of the project. */
export interface DevCommand {
  readonly process: ChildProcess;
  /** Where the service was last said to be. */
  readonly url: () => string;
  /**
   * Waits until the command has printed all texts; returns, and then forgets, everything up to the last of their lines.
   */
  readonly saying: (...texts: readonly string[]) => Promise<string>;
  readonly end: () => Promise<void>;
}

/** The line of a running service, and the line of tsc if the types fit. */
export const SERVES = 'listening';
export const FITS = 'Found 0 errors';

const FROM_SOURCES = ['--conditions=source', '--import', 'tsx', 'scripts/trellis.ts'];

/** Starts the command, and waits until it serves and has checked the types. `trellis` is how Node runs that program. */
export const startDev = async (
  folder: string,
  { trellis = FROM_SOURCES, databaseUrl = 'memory:' } = {},
): Promise<DevCommand> => {
  const settings = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    ACCESS_TOKENS: `tests:${TOKEN}`,
    LOG_FORMAT: 'pretty',
  };
  const dev = spawn(process.execPath, [...trellis, 'dev'], {
    cwd: folder,
    env: { ...process.env, ...settings },
  });
  let url = '';
  let output = '';
  let heard = () => {};
  for (const stream of [dev.stdout, dev.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
      url = [...output.matchAll(/listening {2}address: (http:\S+)/g)].at(-1)?.[1] ?? url;
      heard();
    });
  dev.once('close', () => heard());
  const endOf = (text: string): number => {
    const start = output.indexOf(text);
    return start < 0 ? 0 : output.indexOf('\n', start) + 1;
  };
  const saying = async (...texts: readonly string[]): Promise<string> => {
    while (!texts.every(endOf)) {
      if (dev.exitCode !== null) throw new Error(`npm run dev has ended: ${output}`);
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
    }
    const end = Math.max(...texts.map(endOf));
    const said = output.slice(0, end);
    output = output.slice(end);
    return said;
  };
  const end = async (): Promise<void> => {
    if (dev.exitCode !== null || dev.signalCode !== null) return;
    const ended = once(dev, 'exit');
    dev.kill('SIGTERM');
    await ended;
  };
  await saying(SERVES, FITS);
  return { process: dev, url: () => url, saying, end };
};
