import { count } from './text.ts';

/** The progress of a run. */
export interface Progress {
  readonly phase: string;
  readonly subject: string;
  readonly requests: number;
  readonly failures: number;
}

/** A stream for progress: usually standard error. */
interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Intervals in milliseconds: of redraws on a terminal, of lines in a log. */
const REDRAW_EVERY = 100;
const LOG_EVERY = 5000;

/** Moves to the start of the line and clears it (ECMA-48, EL). */
const CLEAR = '\r\u001b[K';

const counted = (value: number, what: string): string => `${count(value)} ${what}${value === 1 ? '' : 's'}`;

/** Shows progress: on a terminal in one line that is redrawn, elsewhere in a line every few seconds. */
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
    end: (): void => {
      if (screen.isTTY) screen.write(CLEAR);
    },
  };
};
