import { groupUsageOf } from '../support/usage.ts';
import type { Load, LoadResult } from './load.ts';
import type { LoadOptions, Plan } from './plan.ts';

/** A running server with a store. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A server to measure, and the store that it writes to. */
export interface Subject {
  start(): Promise<Running>;
  /** Counts the rows in the store, without the server, that the requests of a workload leave; none if it only reads. */
  countRows?(): Promise<number>;
}

/** The requests that are sent to a server. */
export interface Workload {
  /** Sends requests that must be answered correctly before the speed counts. Lists the wrong answers. */
  findWrongAnswers(url: string): Promise<string[]>;
  /** How many rows those requests leave in the store. */
  readonly rowsBefore: number;
  /** Plans the nth load on a store: 0 is the warm-up, 1 is measured. */
  plan(url: string, nth: number, options: LoadOptions): Plan;
}

/** The measurements of one round, by metric. */
export type Measurements = Readonly<Record<string, number | undefined>>;

/** The result of a round, which counts only if nothing was wrong. */
export interface Round {
  readonly measurements?: Measurements;
  readonly wrong: readonly string[];
}

/** How many seconds the warm-up before a measurement takes. */
export const warmUpOf = (seconds: number): number => Math.max(1, Math.ceil(seconds * 0.4));

const findWrongLoad = (
  what: string,
  { answers, wrong, errors }: Pick<LoadResult, 'answers' | 'wrong' | 'errors'>,
): string[] => [
  ...(answers === 0 ? [`${what}: no answers`] : []),
  ...(wrong > 0 ? [`${what}: ${wrong} of ${answers} answers were wrong`] : []),
  ...(errors > 0 ? [`${what}: ${errors} requests were not answered`] : []),
];

/** When a load ends, each connection may have one write that is stored but no longer acknowledged. */
const findWrongCount = (stored: number, acknowledged: number, underWay: number): string[] =>
  stored >= acknowledged && stored <= acknowledged + underWay
    ? []
    : [`${acknowledged} writes were acknowledged, ${stored} were stored`];

/** Starts a server, checks a few answers, warms it up, measures it, and compares its store with its answers. */
export const runRound = async (
  subject: Subject,
  workload: Workload,
  load: Load,
  options: LoadOptions,
): Promise<Round> => {
  const { connections, seconds } = options;
  const started = performance.now();
  const running = await subject.start();
  const readyMs = performance.now() - started;
  const restingMiB = groupUsageOf(running.pid)?.residentMiB;
  const run = (nth: number, seconds: number): Promise<LoadResult> =>
    load(workload.plan(running.url, nth, { ...options, seconds }));
  try {
    const wrong = await workload.findWrongAnswers(running.url);
    if (wrong.length > 0) return { wrong };
    const warmUp = await run(0, warmUpOf(seconds));
    const usedBefore = groupUsageOf(running.pid)?.cpuSeconds ?? Number.NaN;
    const { answers, p50, p99, generatorShare, ...result } = await run(1, seconds);
    const used = groupUsageOf(running.pid);
    await running.stop();
    const rate = answers / result.seconds;
    const cpu = used && ((used.cpuSeconds - usedBefore) / answers) * 10_000;
    const peakMiB = used?.peakMiB;
    const stored = await subject.countRows?.();
    return {
      measurements: { rate, p50, p99, cpu, readyMs, restingMiB, peakMiB, generatorShare },
      wrong: [
        ...findWrongLoad('warm-up', warmUp),
        ...findWrongLoad('load', { answers, ...result }),
        ...(stored === undefined
          ? []
          : findWrongCount(stored, warmUp.answers + answers, 2 * connections + workload.rowsBefore)),
      ],
    };
  } finally {
    await running.stop();
  }
};
