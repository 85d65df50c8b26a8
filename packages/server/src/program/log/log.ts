import type { Writable } from 'node:stream';
import type { HandlerLog } from '@trellis/contract';
import { pino } from 'pino';
import { hasMethod } from '../../http/connections/node-http.ts';
import type { Config } from '../config.ts';

/** How many characters are gathered before they are written: some eighty lines. */
const BLOCK = 16_384;
/** How many characters a request line has, more or less. */
const REQUEST_LINE = 200;
/** After how many milliseconds gathered lines are written at the latest. */
const WRITE_EVERY = 100;
/** How many bytes may wait for a slow reader of the log. Above that, lines are dropped to save memory. */
const MAX_UNREAD = 32 * 2 ** 20;

/** The method of Node's terminal handle that makes writes wait, or not, until the terminal has taken them. */
interface Blocking {
  setBlocking: (isBlocking: boolean) => number;
}

const hasBlocking = (output: Writable): output is Writable & { _handle: Blocking } =>
  hasMethod(Reflect.get(output, '_handle'), 'setBlocking');

/** A line that is not text yet. */
interface RequestLine {
  readonly time: number;
  readonly details: object;
  readonly message: string;
}

/** The log of the service. Its type names no pino, which is bundled, so that declarations can be read without it. */
export interface ServiceLog {
  readonly log: HandlerLog & Record<'fatal', HandlerLog['error']>;
  /** The same log for request lines, of which there are many: its `info` costs half of what pino's does. */
  readonly requests: Pick<HandlerLog, 'debug' | 'error'> & {
    /** The details must not change any more, and the message must need no JSON escapes. */
    readonly info: (details: object, message: string) => void;
  };
  /** Writes the gathered lines now. */
  readonly flush: () => void;
}

/**
 * Creates a log of JSON lines; `render` may convert them. Lines are buffered, because a write for each would cost more
 * than all the rest of a line. Request lines are converted to text when they are written: eighty in a row take half the
 * time of eighty between other work. So a kill −9 may lose the last tenth of a second of the log; any other exit writes
 * all of it.
 */
export const createLog = (level: string, output: Writable, render?: (line: string) => string): ServiceLog => {
  let lines: (string | RequestLine)[] = []; // joined once; a growing string would be copied again when it is written
  let size = 0;
  let dropped = 0;
  const add = (line: string | RequestLine): void => {
    lines.push(line);
    size += typeof line === 'string' ? line.length : REQUEST_LINE;
    if (size >= BLOCK) flush();
  };
  const log = pino({ level, base: null }, { write: add });
  const begin = `{"level":${log.levels.values.info},"time":`;
  const flush = (): void => {
    const block = lines;
    lines = [];
    size = 0;
    if (block.length === 0) return;
    if (output.writableLength >= MAX_UNREAD) {
      dropped += block.length;
      return;
    }
    for (const [index, line] of block.entries()) {
      const text =
        typeof line === 'string'
          ? line
          : `${begin}${line.time},${JSON.stringify(line.details).slice(1, -1)},"msg":"${line.message}"}\n`;
      block[index] = render?.(text) ?? text;
    }
    output.write(block.join(''));
    if (dropped === 0) return;
    const details = { dropped };
    dropped = 0;
    log.warn(details, 'log lines were dropped because they were not read fast enough');
  };

  if (hasBlocking(output)) output._handle.setBlocking(false); // otherwise a hanging terminal would stop the service
  output.on('error', () => {}); // the reader has exited or the disk is full: keep serving
  process.on('exit', flush);
  setInterval(flush, WRITE_EVERY).unref();
  const info = (details: object, message: string): void => add({ time: Date.now(), details, message });
  return {
    log,
    requests: {
      debug: log.debug.bind(log),
      error: log.error.bind(log),
      info: log.isLevelEnabled('info') ? info : () => {},
    },
    flush,
  };
};

/** Opens the log of the process: lines for people on a terminal and JSON elsewhere, unless LOG_FORMAT says otherwise. */
export const openLog = async ({
  logLevel,
  logFormat,
  workers,
}: Pick<Config, 'logLevel' | 'logFormat' | 'workers'>) => {
  const { stdout } = process;
  const isPretty = logFormat === undefined ? stdout.isTTY : logFormat === 'pretty';
  const inColour = stdout.isTTY && stdout.hasColors(); // NO_COLOR included
  const render = isPretty ? (await import('./pretty-log.ts')).createPrettyLines(inColour) : undefined;
  const isShared = workers > 1 && !stdout.isTTY;
  const output = isShared ? (await import('./shared-output.ts')).createSharedOutput(stdout) : stdout;
  return { ...createLog(logLevel, output, render), isPretty, inColour };
};

/** The log of the process, and how it is shown. */
export type OpenLog = Awaited<ReturnType<typeof openLog>>;
