import { count } from './table.ts';

/** How far a run has come. */
export interface Progress {
  readonly phase: string;
  readonly subject: string;
  readonly requests: number;
  readonly failures: number;
}

/** Where progress is shown: usually standard error. */
interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How often a line of a terminal is redrawn and a log gets a line, in milliseconds. */
const REDRAW_EVERY = 100;
const LOG_EVERY = 5000;

/** Back to the start of the line, and clear it (ECMA-48, EL). */
const CLEAR = '\r\u001b[K';

const counted = (value: number, what: string): string => `${count(value)} ${what}${value === 1 ? '' : 's'}`;

/** Shows progress: on a terminal in one line that is overwritten, elsewhere in a line every few seconds. */
export const createProgress = (screen: Screen) => {
  const pause = screen.isTTY ? REDRAW_EVERY : LOG_EVERY;
  let shown = performance.now();
  return {
    show: ({ phase, subject, requests, failures }: Progress): void => {
      const now = performance.now();
      if (now - shown < pause) return;
      shown = now;
      const line = `${phase}: ${subject}: ${counted(requests, 'request')}, ${counted(failures, 'failure')} so far`;
      screen.write(screen.isTTY ? CLEAR + line.slice(0, (screen.columns ?? 80) - 1) : `${line}\n`);
    },
    /** Takes the line away again. */
    end: (): void => {
      if (screen.isTTY) screen.write(CLEAR);
    },
  };
};
