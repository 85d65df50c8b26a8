import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

/** The built service, as it runs in production. */
export const MAIN = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url));

/** The flags that `npm start` passes to Node. */
export const START_FLAGS: readonly string[] = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
).scripts.start.match(/--\S+/g);

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

/** How a service is started, if not as the tests do. */
export interface Launch {
  /** The Node binary, and flags for it. */
  readonly node?: string;
  readonly flags?: readonly string[];
  /** Whether the log is kept after the start: a benchmark has no time to read it. */
  readonly keepsLog?: boolean;
  /** The port to listen on, for a service whose log does not name it. */
  readonly port?: number | undefined;
}

/** How long a service may take to start, in milliseconds. */
const START_TIMEOUT = 60_000;

/** Killed when this process exits, however it exits. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the service in a temporary folder, on a free port, and waits until it listens. */
export const startProcess = async (
  cwd: string,
  settings: Settings = {},
  program = MAIN,
  { node = process.execPath, flags = [], keepsLog = true, port }: Launch = {},
) => {
  const child = spawn(node, [...flags, program], {
    cwd,
    env: environmentOf(port === undefined ? settings : { ...settings, PORT: `${port}` }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const closed = once(child, 'close').finally(() => running.delete(child));
  const deadline = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT);
  const log: LogLine[] = [];
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on('line', (text) => {
      const line = parseLine(text);
      log.push(line);
      if (line.msg === 'listening') resolve(String(line.address));
    });
    child.once('exit', () => reject(new Error(`the service did not start: ${JSON.stringify(log)}`)));
    if (port === undefined) return;
    const address = `http://127.0.0.1:${port}`;
    const isReady = () =>
      fetch(`${address}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    until('the service listens', isReady).then(() => resolve(address), reject);
  }).finally(() => clearTimeout(deadline));
  if (!keepsLog) {
    lines.close();
    child.stdout.resume(); // or the service would wait for it to be read
  }
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

/** A service in a separate process. */
export type ServiceProcess = Awaited<ReturnType<typeof startProcess>>;
