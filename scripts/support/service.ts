import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The built service, as it runs in production. */
export const MAIN = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url));

/** The environment variables of a service. */
export type Settings = Readonly<Record<string, string>>;

/** The whole environment of a service: nothing is inherited but PATH, and the system chooses the port. */
export const environmentOf = (settings: Settings) => ({
  PATH: process.env.PATH ?? '',
  PORT: '0',
  ...settings,
});

type LogLine = Readonly<Record<string, unknown>>;

const isLogLine = (value: unknown): value is LogLine => typeof value === 'object' && value !== null;

const parseLine = (text: string): LogLine => {
  const line: unknown = JSON.parse(text);
  if (isLogLine(line)) return line;
  throw new Error(`not a log line: ${text}`);
};

/** Starts the service in a folder of its own, on a port that the system chooses, and waits until it listens. */
export const startProcess = async (cwd: string, settings: Settings = {}, program = MAIN) => {
  const child = spawn(process.execPath, [program], {
    cwd,
    env: environmentOf(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const log: LogLine[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = parseLine(text);
      log.push(line);
      if (line.msg === 'listening') resolve(String(line.address));
    });
    child.once('exit', () => reject(new Error(`the service did not start: ${JSON.stringify(log)}`)));
  });
  return {
    url,
    log,
    pid: child.pid ?? 0,
    /** Sends a signal and waits for the process to end and its log to be read; returns the exit code. */
    end: async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
      child.kill(signal);
      await closed;
      return child.exitCode;
    },
  };
};

/** A service in a process of its own. */
export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>;
