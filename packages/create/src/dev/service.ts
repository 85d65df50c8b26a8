import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { moduleBeside } from '../beside.ts';
import { explainFailure, type Failure } from './failure.ts';

/** How a start went. */
export type Started =
  | { readonly kind: 'serves'; readonly address: string }
  | { readonly kind: 'cancelled' }
  /** `address` is of the service before it, which goes on. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly address: string | undefined };

/** The service, run from its sources. */
export interface DevService {
  /** Starts it, in place of the one that runs. That one serves until the new one is ready, and on if that fails. */
  restart(): Promise<Started>;
  /** Gives up a start under way, because its sources are out of date. */
  cancel(): void;
  stop(): Promise<void>;
}

interface Options {
  readonly file: string;
  /** Conditions for the `exports` of packages. */
  readonly conditions: readonly string[];
  /** Whether the first start writes to the terminal itself, where it prints its banner. */
  readonly isOnTerminal: boolean;
  /** Prints a line of its log, which is JSON; the one with its address is left out. */
  readonly print: (line: string) => void;
  /** Called when a service that has served ends by itself. */
  readonly onEnd: () => void;
}

const PRELOAD = moduleBeside('./preload', import.meta.url).href;

const LISTENING = /"msg":"listening"/;

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null;

const end = async (child: ChildProcess | undefined): Promise<void> => {
  if (!child || hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
};

/** Makes the service that `npm run dev` restarts. */
export const createDevService = ({ file, conditions, isOnTerminal, print, onEnd }: Options): DevService => {
  let current: { readonly child: ChildProcess; readonly address: string } | undefined;
  let starting: ChildProcess | undefined;
  let isFirst = true;

  const run = (): ChildProcess => {
    const stdout = isFirst && isOnTerminal ? 'inherit' : 'pipe';
    isFirst = false;
    const loaders = ['--import', 'tsx', '--import', PRELOAD];
    const child = spawn(
      process.execPath,
      [...conditions.map((each) => `--conditions=${each}`), ...loaders, file],
      {
        stdio: ['inherit', stdout, 'pipe', 'ipc'],
        env: {
          DRAIN_MS: '0', // no load balancer to wait for
          ...process.env,
          WORKERS: '1', // one process is replaced at a time
          ...(stdout === 'pipe' && { LOG_FORMAT: 'json' }), // it is read here
        },
      },
    );
    if (child.stdout)
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!child.killed && !LISTENING.test(line)) print(line); // what it logs while it stops is of no interest
      });
    return child;
  };

  const takeOver = async (child: ChildProcess): Promise<void> => {
    starting = undefined; // too late to give it up: the other one ends
    const before = current?.child;
    current = undefined;
    await end(before);
    if (child.connected) child.send('listen');
  };

  const restart = (): Promise<Started> => {
    const child = run();
    starting = child;
    let errors = '';
    let isServing = false;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (isServing) process.stderr.write(text);
      else errors += text;
    });
    return new Promise((resolve) => {
      child.on('message', (message) => {
        if (typeof message !== 'object' || message === null) return;
        if ('isReady' in message) void takeOver(child);
        if (!('listening' in message)) return;
        isServing = true;
        process.stderr.write(errors);
        current = { child, address: String(message.listening) };
        resolve({ kind: 'serves', address: current.address });
      });
      child.once('error', (error) => {
        errors += error.message;
      });
      child.once('close', () => {
        if (isServing && current?.child === child) {
          current = undefined;
          onEnd();
        }
        resolve(
          child.killed
            ? { kind: 'cancelled' }
            : { kind: 'failed', failure: explainFailure(errors), address: current?.address },
        );
      });
    });
  };

  return {
    restart,
    cancel: () => void starting?.kill('SIGKILL'),
    stop: async () => {
      const children = [starting, current?.child];
      current = undefined;
      await Promise.all(children.map((child) => end(child)));
    },
  };
};
