import { Writable } from 'node:stream';

/** So many bytes are written to a pipe at once or not at all, on Linux (pipe(7), PIPE_BUF). */
const ATOMIC = 4096;

/** The end of the lines from `start` on that can be written at once: at least one line. */
const endOfLines = (text: string, start: number): number => {
  if (text.length - start <= ATOMIC) return text.length;
  const end = text.lastIndexOf('\n', start + ATOMIC - 1) + 1;
  return end > start ? end : text.indexOf('\n', start) + 1 || text.length;
};

/**
 * Creates an output for whole lines into a pipe that several processes write to. A slow reader fills the pipe, which then
 * takes a part of what is written; without this the lines of two processes would be mixed up.
 */
export const createSharedOutput = (output: Writable): Writable => {
  output.on('error', () => {}); // the reader is gone
  const write = (text: string, start: number, done: () => void): void => {
    let [from, isWaiting] = [start, false];
    while (from < text.length && !isWaiting) {
      const end = endOfLines(text, from);
      output.write(text.slice(from, end));
      from = end;
      isWaiting = output.writableLength > 0;
    }
    if (isWaiting) output.write('', () => write(text, from, done));
    else done();
  };
  return new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => write(text, 0, done),
  });
};
