import { Readable } from 'node:stream';

/** How another stream is followed. */
export interface Following {
  /** Gets the number of bytes so far, before they are passed on; throws if they are too many. */
  readonly onBytes?: (total: number) => void;
  /** Called before the end is passed on; throws if it comes too early. */
  readonly onEnd?: (total: number) => void;
  /** Called once nobody follows the source any more, though it has not ended. */
  readonly onLeave?: () => void;
  /** Called after bytes have gone into the stream, and after its reader has taken some. */
  readonly onMove?: () => void;
  /** Whether each chunk is read in a turn of its own, so that requests of others are served in between. */
  readonly inTurns?: boolean;
  /** What to tell of an error of the source. */
  readonly toError?: (error: Error) => Error;
}

/**
 * Makes a stream of what another one gives. It can be destroyed, or left unread, and the other one stays whole: a
 * request whose stream was destroyed could not be answered. Nothing is read of the source before somebody asks for it.
 */
export const follow = (
  source: Readable,
  { onBytes, onEnd, onLeave, onMove = () => {}, inTurns = false, toError = (error) => error }: Following = {},
): Readable => {
  let total = 0;
  const stream = new Readable({
    read() {
      process.nextTick(onMove);
      if (inTurns) setImmediate(readOn);
      else source.resume();
    },
    destroy(error, done) {
      const hasLeft = source.off('data', pass).off('end', end).off('close', cut).readableEnded === false;
      source.pause();
      if (hasLeft) onLeave?.();
      done(error);
    },
  });
  const readOn = (): void => {
    if (!stream.destroyed) source.resume();
  };
  const attempt = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  };
  function pass(chunk: Buffer): void {
    attempt(() => {
      total += chunk.length;
      onBytes?.(total);
      if (!stream.push(chunk) || inTurns) source.pause();
      onMove();
    });
  }
  function end(): void {
    source.off('close', cut);
    attempt(() => {
      onEnd?.(total);
      stream.push(null);
    });
  }
  /** A source that closes before its end has been cut off. */
  function cut(): void {
    stream.destroy(toError(source.errored ?? new Error('the stream was cut off')));
  }
  stream.on('error', () => {}); // whoever reads it is told; nobody may be reading
  source.pause();
  source.on('data', pass).on('end', end).on('close', cut).on('error', cut);
  return stream;
};
