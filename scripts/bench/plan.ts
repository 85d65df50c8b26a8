/** The work of a load generator. */
export interface Plan {
  /** The server, without a path. */
  readonly url: string;
  readonly method: string;
  /**
   * The path, the headers and the body may have `{n}`, a number of 15 digits that no other request has, `{item}`, a
   * number below `items`, and `{token}`, a member of `tokens`. No pair of an item and a token repeats before all have
   * been used.
   */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly items: number;
  readonly tokens: readonly string[];
  readonly connections: number;
  readonly seconds: number;
  /** The status of a correct answer, and a part of its body. */
  readonly status: number;
  readonly expected: string;
  /** Where the numbers start: each is `STEP` further, modulo the range. */
  readonly from: number;
  /** Where the pairs of an item and a token start. */
  readonly fromPair: number;
}

/** The token that every server of the benchmark accepts. */
export const TOKEN = 'bench-5d1c0a7e9b3f4826';

/** Numbers are `least` plus a number below `range`. */
export const IDS = { least: 100_000_000_000_000, range: 2 ** 48 } as const;

/**
 * An odd number near the golden section of the range. With steps of it, wrk.lua spreads numbers over the whole range as
 * random ones are, and none repeats. They have 15 digits, so every JSON parser reads them exactly and all bodies have
 * one length.
 */
export const STEP = 173_961_102_589_771;

/** How many numbers a load may use before it reaches the numbers of the next. */
const IDS_A_LOAD = 2n ** 32n;

/** Where the numbers of the nth load on a store start. */
export const startOf = (nth: number): number =>
  Number((BigInt(nth) * IDS_A_LOAD * BigInt(STEP)) % BigInt(IDS.range));

/** What makes one load different from another. */
export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  /** The size of a body; the name is repeated to reach it. */
  readonly bytes?: number | undefined;
}

/** The options of a benchmark. */
export interface BenchOptions extends LoadOptions {
  readonly rounds: number;
  /** The names of the servers, and of the requests, that are measured. */
  readonly names: readonly string[];
  /** The folders of other builds, which are measured beside this one. */
  readonly before: readonly string[];
  readonly report: (text: string) => void;
}
