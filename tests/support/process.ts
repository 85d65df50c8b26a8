import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The built service; `npm test` builds it first. */
export const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

type Environment = Readonly<Record<string, string>>;
type LogLine = Readonly<Record<string, unknown>>;

/** Nothing of the test's own environment decides how the service starts. */
const environmentOf = (settings: Environment) => ({ PATH: process.env.PATH ?? '', PORT: '0', ...settings });

const isLogLine = (value: unknown): value is LogLine => typeof value === 'object' && value !== null;

const parseLine = (text: string): LogLine => {
  const line: unknown = JSON.parse(text);
  if (isLogLine(line)) return line;
  throw new Error(`not a log line: ${text}`);
};

const exitCode = async (child: ChildProcess): Promise<number | null> => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
};

/** Runs the service until it ends by itself: for starts that are refused. */
export const runProcess = async (cwd: string, settings: Environment = {}) => {
  const child = spawn(process.execPath, [MAIN], { cwd, env: environmentOf(settings) });
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, output: output.join('') };
};

/** Starts the service in a folder of its own and waits until it listens. Stop or kill it when done. */
export const startProcess = async (cwd: string, settings: Environment = {}) => {
  const child = spawn(process.execPath, [MAIN], {
    cwd,
    env: environmentOf(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const log: LogLine[] = [];
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (text) => {
      const line = parseLine(text);
      log.push(line);
      if (line.msg === 'listening') resolve(String(line.address));
    });
    child.once('exit', () => reject(new Error(`the service did not start: ${JSON.stringify(log)}`)));
  });
  return {
    url,
    log,
    /** Sends a signal and gives the exit code, once the process is gone and its last line is read. */
    end: async (signal: NodeJS.Signals = 'SIGTERM') => {
      const closed = once(lines, 'close');
      child.kill(signal);
      await closed;
      return exitCode(child);
    },
  };
};

export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>;
