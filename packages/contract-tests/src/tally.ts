import { getOrInsert } from '@trellis/openapi/internal/json';
import { type Operation, replyFor } from './document/operations.ts';
import { type Failure, failureOf } from './exchange/failure.ts';
import type { JudgedReply } from './exchange/send.ts';
import { hasUnspecified, type Probe, type Reply } from './requests/call.ts';
import { present } from './values/json.ts';

/** Numbers of requests, of replies below 400, and of 4xx replies. */
export interface Counts {
  readonly requests: number;
  readonly accepted: number;
  readonly refused: number;
}

const NOT_DEFINED = 'OpenAPI does not define lists and nested objects in deepObject';

/** The notes about the reply to a request. A rejection is noted if OpenAPI does not define how the request is written. */
const notesAbout = ({ call, refusal, mayRefuse = false }: Probe, { status }: Reply): string[] => {
  const isUnspecified = hasUnspecified(call) && (status === 400 || status === 422);
  return present(
    status === 429 && 'answered 429 to some requests, which could not be checked',
    !mayRefuse && !replyFor(call.operation, status) && `answers ${status}, which it does not declare`,
    refusal === undefined && isUnspecified && `refuses some with ${status}: ${NOT_DEFINED}`,
  );
};

/** Counts requests, and collects notes over a whole run. */
export const createRecord = () => {
  let counts = { requests: 0, accepted: 0, refused: 0 };
  let news: string[] = [];
  let first: Failure | undefined;
  const seen = new Set<string>();
  /** The operations that answered a valid request with a success, and the other statuses of valid requests. */
  const served = new Set<string>();
  const refusals = new Map<string, Set<number>>();
  const streams = new Map<string, { streams: number; items: number; open: number }>();
  return {
    observe: (probe: Probe, { reply, breach }: JudgedReply): void => {
      const { call, refusal, mayRefuse = false, http } = probe;
      const { id, at } = call.operation;
      counts.requests += 1;
      if (!reply) return;
      const { status, stream } = reply;
      if (status < 400) counts.accepted += 1;
      else if (status < 500) counts.refused += 1;
      if (stream) {
        const sum = getOrInsert(streams, at, () => ({ streams: 0, items: 0, open: 0 }));
        sum.streams += 1;
        sum.items += stream.items;
        sum.open += stream.isOpen ? 1 : 0;
      }
      if (refusal === undefined && status < 400) served.add(at);
      // Requests about HTTP add no notes about an operation.
      if (breach || http) return;
      const notes = notesAbout(probe, reply).map((note) => `${id}: ${note}`);
      news.push(...notes.filter((note) => !seen.has(note)));
      for (const note of notes) seen.add(note);
      if (refusal === undefined && status >= 400 && !mayRefuse && !hasUnspecified(call))
        getOrInsert(refusals, at, () => new Set()).add(status);
    },
    /** Keeps the first failure before it is shrunk. */
    keepFirst: (probe: Probe, judged: JudgedReply): void => {
      first ??= failureOf(probe, judged);
    },
    /** Returns the counts, new notes and first failure since the last call. */
    takeNews: () => {
      const taken = { counts, notes: news, failures: present(first) };
      counts = { requests: 0, accepted: 0, refused: 0 };
      [news, first] = [[], undefined];
      return taken;
    },
    notesOf: ({ id, at }: Operation): string[] => {
      const statuses = served.has(at) ? undefined : refusals.get(at);
      const read = streams.get(at);
      return present(
        read && `${id}: ${read.items} items of ${read.streams} streams were read; ${read.open} had not ended`,
        statuses && `${id}: no valid request got more than ${[...statuses].join(', ')}`,
      );
    },
  };
};

/** A check that a run left out. */
export interface Unchecked {
  /** The check and the reason: `lists, because …`. */
  readonly what: string;
  /** The resource or the operation: `/things`. */
  readonly where: string;
}

/** The most names in a list; the rest are counted. */
const MOST_NAMES = 5;

/** Lists the first names and the number of others. */
export const listNames = (names: readonly string[]): string => {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** One line per kind of check that was left out. */
export const describeUnchecked = (unchecked: readonly Unchecked[]): string[] => {
  const places = new Map<string, Set<string>>();
  for (const { what, where } of unchecked) getOrInsert(places, what, () => new Set()).add(where);
  return [...places].map(([what, where]) => `not checked: ${what}: ${listNames([...where])}`);
};
