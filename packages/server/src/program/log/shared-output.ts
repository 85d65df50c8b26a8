import { Writable } from 'node:stream';

/** Linux writes up to this many bytes to a pipe at once or not at all (pipe(7), PIPE_BUF). */
const ATOMIC = 4096;

/** The end of the lines from `start` on that can be written at once: at least one line. */
const endOfLines = (lines: Buffer, start: number): number => {
  if (lines.length - start <= ATOMIC) return lines.length;
  const end = lines.lastIndexOf('\n', start + ATOMIC - 1) + 1;
  return end > start ? end : lines.indexOf('\n', start) + 1 || lines.length;
};

/**
 * Creates an output for whole lines into a pipe that several processes write to. If a slow reader fills the pipe, it
 * takes a part of a plain write, and the lines of two processes would mix.
 */
export const createSharedOutput = (output: Writable): Writable => {
  output.on('error', () => {}); // the reader has closed the pipe
  const write = (lines: Buffer, start: number, done: () => void): void => {
    let [from, isWaiting] = [start, false];
    while (from < lines.length && !isWaiting) {
      const end = endOfLines(lines, from);
      output.write(lines.subarray(from, end));
      from = end;
      isWaiting = output.writableLength > 0;
    }
    if (isWaiting) output.write('', () => write(lines, from, done));
    else done();
  };
  return new Writable({ write: (lines: Buffer, _encoding, done) => write(lines, 0, done) });
};
