import type { Load, LoadResult } from '../load/generators.ts';
import { type LoadOptions, planCreates } from '../load/plan.ts';
import { findWrongAnswers, PLANTS_ASKED } from './answers.ts';
import { usageOf } from './measure.ts';

/** A server that runs and has a store. */
export interface Running {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Something to measure: a server, and the store that it writes to. */
export interface Subject {
  start(): Promise<Running>;
  /** Counts the plants that are stored as they were sent, past the server. */
  countPlants(): Promise<number>;
}

/** The figures of one round; times in milliseconds, CPU in seconds for 10,000 creates. */
export interface Figures {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu?: number | undefined;
  readonly peakMiB?: number | undefined;
  readonly generatorShare?: number | undefined;
}

/** A round counts if nothing was wrong with it. */
export interface Round {
  readonly figures: Figures | undefined;
  readonly wrong: readonly string[];
}

/** No two loads use the same ids, whichever store they go to. */
let loads = 0;

/** How long a server is warmed up, of the time that it is measured. */
export const WARM_UP_SHARE = 0.4;

const findWrongLoad = (what: string, { answers, wrong, errors }: LoadResult): string[] => [
  ...(answers === 0 ? [`${what}: no answers`] : []),
  ...(wrong > 0 ? [`${what}: ${wrong} of ${answers} answers were wrong`] : []),
  ...(errors > 0 ? [`${what}: ${errors} requests were not answered`] : []),
];

/** When a load ends, each connection may have a create under way that is stored and not acknowledged any more. */
const findWrongCount = (stored: number, acknowledged: number, underWay: number): string[] =>
  stored >= acknowledged && stored <= acknowledged + underWay
    ? []
    : [`${acknowledged} creates were acknowledged, ${stored} plants were stored`];

/** Starts a server, asks it a few things, warms it up, measures it, and holds its store against its answers. */
export const runRound = async (subject: Subject, load: Load, options: LoadOptions): Promise<Round> => {
  const before = await subject.countPlants();
  const running = await subject.start();
  const run = async (seconds: number): Promise<LoadResult> => {
    loads += 1;
    return load(planCreates(running.url, loads, { ...options, seconds }));
  };
  try {
    const wrong = await findWrongAnswers(running.url);
    if (wrong.length > 0) return { figures: undefined, wrong };
    const warmUp = await run(Math.max(1, Math.ceil(options.seconds * WARM_UP_SHARE)));
    const usedBefore = usageOf(running.pid)?.cpuSeconds ?? Number.NaN;
    const result = await run(options.seconds);
    const used = usageOf(running.pid);
    await running.stop();
    const stored = (await subject.countPlants()) - before;
    return {
      figures: {
        rate: result.answers / result.seconds,
        p50: result.p50,
        p99: result.p99,
        cpu: used && ((used.cpuSeconds - usedBefore) / result.answers) * 10_000,
        peakMiB: used?.peakMiB,
        generatorShare: result.generatorShare,
      },
      wrong: [
        ...findWrongLoad('warm-up', warmUp),
        ...findWrongLoad('load', result),
        ...findWrongCount(stored, warmUp.answers + result.answers, 2 * options.connections + PLANTS_ASKED),
      ],
    };
  } finally {
    await running.stop();
  }
};
