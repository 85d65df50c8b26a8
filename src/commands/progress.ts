/** Where progress is shown: usually standard error. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How often a bar is redrawn and a log gets a line, in milliseconds. */
const REDRAW_EVERY = 100;
const LOG_EVERY = 5000;

const BAR = 30;

/** Back to the start of the line, and clear it (ECMA-48, EL). */
export const CLEAR = '\r\u001b[K';

const inWords = (seconds: number): string => {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.ceil(seconds)} s`;
};

/** A number as people read it: 1,000,000. */
export const grouped = (value: number): string => Math.round(value).toLocaleString('en');

/** Shows the progress through `total` bytes, if that is known: as a bar on a terminal, elsewhere as lines in a log. */
export const createProgress = (screen: Screen, total: number | undefined) => {
  const began = performance.now();
  let drawn = screen.isTTY ? Number.NEGATIVE_INFINITY : began;
  let bytesDone = 0;
  let linesDone = 0;

  const describe = (): string => {
    const seconds = (performance.now() - began) / 1000;
    const rate = `${grouped(linesDone)} lines   ${grouped(linesDone / Math.max(seconds, 0.001))}/s`;
    if (!total) return rate;
    const share = Math.min(bytesDone / total, 1);
    const left = share > 0 ? `   ${inWords((seconds * (1 - share)) / share)} left` : '';
    const filled = Math.round(share * BAR);
    const bar = screen.isTTY ? `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ` : '';
    return `${bar}${Math.floor(share * 100)} %   ${rate}${left}`;
  };
  const draw = (): void => {
    drawn = performance.now();
    const text = describe();
    screen.write(screen.isTTY ? CLEAR + text.slice(0, (screen.columns || 80) - 1) : `${text}\n`);
  };

  return {
    /** Adds bytes to those that are done, and sets the number of lines that are done. */
    advance(bytes: number, lines: number): void {
      bytesDone += bytes;
      linesDone = lines;
      if (performance.now() - drawn >= (screen.isTTY ? REDRAW_EVERY : LOG_EVERY)) draw();
    },
    /** Writes a message on a separate line. */
    say(text: string): void {
      screen.write(`${screen.isTTY ? CLEAR : ''}${text}\n`);
      drawn = screen.isTTY ? Number.NEGATIVE_INFINITY : drawn;
    },
    /** Draws for the last time. */
    end(): void {
      if (!screen.isTTY) return;
      draw();
      screen.write('\n');
    },
  };
};
