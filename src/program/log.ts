import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** How much of the log is written at once, in characters: one write for some eighty lines. */
const BLOCK = 16_384;
/** The longest that a line waits for others, in milliseconds. */
const WRITE_EVERY = 100;
/** What may wait, in bytes, for whoever reads the log; beyond that, lines are dropped rather than memory filled. */
const MOST_UNREAD = 32 * 2 ** 20;

/** Of what Node has of a terminal: whether a write waits until the terminal has taken it. */
interface Blocking {
  setBlocking: (isBlocking: boolean) => number;
}

const hasBlocking = (output: Writable): output is Writable & { _handle: Blocking } =>
  '_handle' in output &&
  typeof output._handle === 'object' &&
  output._handle !== null &&
  'setBlocking' in output._handle &&
  typeof output._handle.setBlocking === 'function';

/** A log, and what goes with it. */
export interface ServiceLog {
  readonly log: Logger;
  /** The same log for the lines of requests, of which there are many: `info` costs half of what pino takes. */
  readonly requests: Pick<Logger, 'debug' | 'error'> & {
    /** Of some details, and a message that needs no escapes. */
    readonly info: (details: object, message: string) => void;
  };
  /** Writes now what has been gathered. */
  readonly flush: () => void;
}

/**
 * Lines of JSON, gathered: a write of its own for each would cost more than all the rest of a line. So a kill −9 may
 * cost the last tenth of a second of the log; any other end writes what there is.
 */
export const createLog = (level: string, output: Writable): ServiceLog => {
  let lines: string[] = []; // a string that grows would be put together once more when it is written
  let size = 0;
  let dropped = 0;
  const add = (line: string): void => {
    lines.push(line);
    size += line.length;
    if (size >= BLOCK) flush();
  };
  const log = pino({ level, base: null }, { write: add });

  const flush = (): void => {
    const block = lines;
    lines = [];
    size = 0;
    if (block.length === 0) return;
    if (output.writableLength >= MOST_UNREAD) {
      dropped += block.length;
      return;
    }
    output.write(block.join(''));
    if (dropped === 0) return;
    const details = { dropped };
    dropped = 0;
    log.warn(details, 'lines of the log were dropped, for nobody read them fast enough');
  };

  if (hasBlocking(output)) output._handle.setBlocking(false); // a terminal that hangs would stop the service
  output.on('error', () => {}); // nobody reads it any more, or there is no room: the service serves on
  process.on('exit', flush);
  setInterval(flush, WRITE_EVERY).unref();
  const info = (details: object, message: string): void =>
    add(
      `{"level":${log.levels.values.info},"time":${Date.now()},${JSON.stringify(details).slice(1, -1)},"msg":"${message}"}\n`,
    );
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
