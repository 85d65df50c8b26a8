import { Readable } from 'node:stream';

/** How another stream is followed. */
export interface Following {
  /** Gets the number of bytes so far, before they are passed on; throws if they are too many. */
  readonly onBytes?: (total: number) => void;
  /** Called before the end is passed on; throws if it comes too early. */
  readonly onEnd?: (total: number) => void;
  /** Called when the stream is destroyed before the source has ended. */
  readonly onLeave?: () => void;
  /** Called after bytes have gone into the stream, and after its reader has taken some. */
  readonly onMove?: () => void;
  /** Whether to read one chunk per turn of the event loop, so that other requests are served in between. */
  readonly inTurns?: boolean;
  /** Converts an error of the source to the error of the stream. */
  readonly toError?: (error: Error) => Error;
}

/**
 * Creates a stream that passes on the bytes of another stream. The source stays intact if the stream is destroyed or
 * left unread: a request whose stream was destroyed could not be answered. Nothing is read from the source before the
 * stream is read.
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
  stream.on('error', () => {}); // the reader gets the error; without a reader it must not be thrown
  source.pause();
  source.on('data', pass).on('end', end).on('close', cut).on('error', cut);
  return stream;
};
