import { codeOf } from '@trellis/openapi/json';

/** Where losses are reported. */
export interface LossLog {
  warn(details: object, message: string): void;
}

/** How often losses are logged, in milliseconds. */
const EVERY = 60_000;

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : '';
  return message || codeOf(error) || 'the collector did not take them';
};

/** Counts the spans that never reach the collector, and logs their number once a minute while there are any. */
export const createLostSpans = (getLog: () => LossLog | undefined) => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  let lost = 0;
  let reason = '';

  const report = (): void => {
    if (lost === 0) return;
    getLog()?.warn({ lost, reason }, 'spans were lost: the collector of traces is away or too slow');
    reportedAt = performance.now();
    lost = 0;
  };

  return {
    add(count: number, error: unknown): void {
      lost += count;
      reason = reasonOf(error);
      if (performance.now() - reportedAt >= EVERY) report();
    },
    report,
  };
};

/** Counts lost spans. */
export type LostSpans = ReturnType<typeof createLostSpans>;
