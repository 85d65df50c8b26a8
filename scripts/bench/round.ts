import { groupUsageOf } from '../support/usage.ts';
import { findWrongAnswers, PLANTS_ASKED } from './answers.ts';
import type { Load, LoadResult } from './load.ts';
import { type LoadOptions, planCreates } from './plan.ts';

/** A running server with a store. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A server to measure, and the store that it writes to. */
export interface Subject {
  start(): Promise<Running>;
  /** Counts the plants in the store, without the server, that are as they were sent. */
  countPlants(): Promise<number>;
}

/** What is measured: times in milliseconds, CPU in seconds per 10,000 creates, memory at rest and at most. */
export const METRICS = [
  ...(['rate', 'p50', 'p99', 'cpu', 'readyMs'] as const),
  ...(['restingMiB', 'peakMiB', 'generatorShare'] as const),
];
export type Metric = (typeof METRICS)[number];

/** The measurements of one round. */
export type Measurements = Readonly<{ rate: number } & Partial<Record<Metric, number | undefined>>>;

/** The result of a round, which counts only if nothing was wrong. */
export interface Round {
  readonly measurements?: Measurements;
  readonly wrong: readonly string[];
}

/** Counts the loads, so that no two of them use the same ids, on whatever store. */
let loads = 0;

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

/** When a load ends, each connection may have one create that is stored but no longer acknowledged. */
const findWrongCount = (stored: number, acknowledged: number, underWay: number): string[] =>
  stored >= acknowledged && stored <= acknowledged + underWay
    ? []
    : [`${acknowledged} creates were acknowledged, ${stored} were stored`];

/** Starts a server, checks a few answers, warms it up, measures it, and compares its store with its answers. */
export const runRound = async (subject: Subject, load: Load, options: LoadOptions): Promise<Round> => {
  const { connections, seconds } = options;
  const started = performance.now();
  const running = await subject.start();
  const readyMs = performance.now() - started;
  const restingMiB = groupUsageOf(running.pid)?.residentMiB;
  const run = async (seconds: number): Promise<LoadResult> => {
    loads += 1;
    return load(planCreates(running.url, loads, { ...options, seconds }));
  };
  try {
    const wrong = await findWrongAnswers(running.url);
    if (wrong.length > 0) return { wrong };
    const warmUp = await run(warmUpOf(seconds));
    const usedBefore = groupUsageOf(running.pid)?.cpuSeconds ?? Number.NaN;
    const { answers, p50, p99, generatorShare, ...result } = await run(seconds);
    const used = groupUsageOf(running.pid);
    await running.stop();
    const rate = answers / result.seconds;
    const cpu = used && ((used.cpuSeconds - usedBefore) / answers) * 10_000;
    const peakMiB = used?.peakMiB;
    return {
      measurements: { rate, p50, p99, cpu, readyMs, restingMiB, peakMiB, generatorShare },
      wrong: [
        ...findWrongLoad('warm-up', warmUp),
        ...findWrongLoad('load', { answers, ...result }),
        ...findWrongCount(
          await subject.countPlants(),
          warmUp.answers + answers,
          2 * connections + PLANTS_ASKED,
        ),
      ],
    };
  } finally {
    await running.stop();
  }
};
