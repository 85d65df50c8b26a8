/** A line of a file. */
export interface Line {
  readonly number: number;
  /** Without its line end; `undefined` if the line is too long. */
  readonly bytes: Buffer | undefined;
}

const NEWLINE = 0x0a;

/** Splits a stream into lines: for each chunk a list, and its size in bytes. The bytes of a line that is too long are dropped. */
export async function* readLines(pieces: AsyncIterable<Buffer>, longest: number) {
  let begun: Buffer[] = [];
  let length = 0;
  let number = 0;

  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > longest) begun = [];
    else if (part.length > 0) begun.push(part);
  };
  const complete = (): Line => {
    const [first = Buffer.alloc(0)] = begun;
    const whole = begun.length > 1 ? Buffer.concat(begun) : first;
    const line = { number: ++number, bytes: length > longest ? undefined : whole };
    begun = [];
    length = 0;
    return line;
  };

  for await (const piece of pieces) {
    const lines: Line[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      keep(piece.subarray(start, end));
      lines.push(complete());
      start = end + 1;
    }
    keep(piece.subarray(start));
    yield { lines, size: piece.length };
  }
  if (length > 0) yield { lines: [complete()], size: 0 };
}
