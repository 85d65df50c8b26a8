/** What a load generator must do. */
export interface Plan {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** A body consists of `before`, an id and `after`. */
  readonly before: string;
  readonly after: string;
  /** The body of a correct answer. */
  readonly expected: string;
  /** Where the ids start: each is `STEP` further, modulo the range. */
  readonly from: number;
}

/** The token that every server of the benchmark accepts. */
export const TOKEN = 'bench-5d1c0a7e9b3f4826';

/** The name and tag of every plant that is created. */
export const NAME = 'Monstera deliciosa';
export const TAG = 'tropical';

/** Ids are `least` plus a number below `range`. */
export const IDS = { least: 100_000_000_000_000, range: 2 ** 48 } as const;

/**
 * An odd number near the golden section of the range. With steps of it, wrk.lua spreads ids over the whole range as random
 * ones are, and none repeats. They have 15 digits, so every JSON parser reads them exactly and all bodies have one length.
 */
export const STEP = 173_961_102_589_771;

/** How many ids a load may use before it reaches those of the next. */
const IDS_A_LOAD = 2n ** 32n;

/** What makes one load different from another. */
export interface LoadOptions {
  readonly connections: number;
  readonly seconds: number;
  /** The size of a body; the name is repeated to reach it. */
  readonly bytes?: number | undefined;
}

/** Plans the nth load on a store, in which every create has an id of its own. */
export const planCreates = (
  url: string,
  nth: number,
  { connections, seconds, bytes = 0 }: LoadOptions,
): Plan => {
  const membersOf = (name: string) => `"name":"${name}","tag":"${TAG}"}`;
  const least = `{"id":${IDS.least},${membersOf(NAME)}`.length;
  const more = Math.max(0, bytes - least);
  const members = membersOf(NAME + ` ${NAME}`.repeat(Math.ceil(more / NAME.length)).slice(0, more));
  return {
    url: `${url}/plants`,
    headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
    connections,
    seconds,
    before: '{"id":',
    after: `,${members}`,
    expected: `{${members}`,
    from: Number((BigInt(nth) * IDS_A_LOAD * BigInt(STEP)) % BigInt(IDS.range)),
  };
};
