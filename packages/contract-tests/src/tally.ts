import { getOrInsert } from '@trellis/openapi/json';
import { type Operation, replyFor } from './document/operations.ts';
import { unfitOf } from './exchange/judge/judge.ts';
import type { Verdict } from './exchange/send.ts';
import { hasUnspecified } from './requests/draft.ts';
import type { Probe } from './requests/probe.ts';

/** The numbers of replies, of those below 400, and of those 4xx. */
export const countReplies = (statuses: readonly number[]) => ({
  requests: statuses.length,
  accepted: statuses.filter((status) => status < 400).length,
  refused: statuses.filter((status) => status >= 400 && status < 500).length,
});

/** What the replies to an operation tell, whatever is wrong with them. */
export const createTally = (operation: Operation) => {
  const statuses: number[] = [];
  const undeclared = new Set<number>();
  const unfit = new Set<string>();
  return {
    add: ({ reply }: Verdict): void => {
      if (!reply) return;
      const { status } = reply;
      statuses.push(status);
      if (!replyFor(operation, status)) undeclared.add(status);
      const note = unfitOf(reply);
      if (note !== undefined) unfit.add(note);
    },
    counts: () => countReplies(statuses),
    notes: (): string[] => {
      const limited = statuses.filter((status) => status === 429).length;
      return [
        ...[...unfit].map((note) => `the stub says ${note}`),
        ...[...undeclared].map((status) => `answers ${status}, which it does not declare`),
        ...(limited > 0 ? [`answered 429 to ${limited} requests, which could not be checked`] : []),
      ];
    },
  };
};

const NOT_DEFINED = 'OpenAPI does not say how lists and objects in deepObject are written';

/** Remembers over a whole run what is only worth a note: operations that serve no valid request, and what OpenAPI leaves open. */
export const createRecord = () => {
  const served = new Set<string>();
  const refusals = new Map<string, Set<number>>();
  const left = new Map<string, Set<string>>();
  const streams = new Map<string, { streams: number; items: number; open: number }>();
  return {
    observe: (probe: Probe, { reply, breach }: Verdict): void => {
      const { draft, refusal, mayRefuse = false, mayAccept = false, http } = probe;
      const { at } = draft.operation;
      if (!reply) return;
      const { status, stream } = reply;
      if (stream) {
        const sum = getOrInsert(streams, at, () => ({ streams: 0, items: 0, open: 0 }));
        sum.streams += 1;
        sum.items += stream.items;
        sum.open += stream.isOpen ? 1 : 0;
      }
      if (refusal === undefined && status < 400) served.add(at);
      if (breach) return;
      const isOpen = hasUnspecified(draft);
      const note = (what: string): void =>
        void left.set(at, (left.get(at) ?? new Set()).add(`${what}: ${NOT_DEFINED}`));
      if (mayAccept && status < 400) note('takes some that are wrong');
      if (refusal !== undefined || status < 400) return;
      if (isOpen && !http && (status === 400 || status === 422)) note(`refuses some with ${status}`);
      // What may be refused, or is about HTTP itself, tells nothing by a refusal.
      if (!mayRefuse && !isOpen && !http) refusals.set(at, (refusals.get(at) ?? new Set()).add(status));
    },
    /** The notes on an operation. */
    notesOf: ({ id, at }: Operation): string[] => {
      const statuses = served.has(at) ? undefined : refusals.get(at);
      const read = streams.get(at);
      return [
        ...(read
          ? [`${id}: ${read.items} items of ${read.streams} streams were read; ${read.open} had not ended`]
          : []),
        ...(statuses ? [`${id}: no valid request got more than ${[...statuses].join(', ')}`] : []),
        ...[...(left.get(at) ?? [])].map((note) => `${id}: ${note}`),
      ];
    },
  };
};

/** A check that a run leaves out, so that its report can say so. */
export interface Unchecked {
  /** What is not checked, and why: `lists, because …`. */
  readonly what: string;
  /** The resource or the operation: `/things`. */
  readonly where: string;
}

/** How many names are listed; the others are counted. */
const MOST_NAMES = 5;

/** The first few names, and how many more there are. */
export const listNames = (names: readonly string[]): string => {
  const more = names.length - MOST_NAMES;
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** One line for each kind of check that was left out. */
export const describeUnchecked = (unchecked: readonly Unchecked[]): string[] => {
  const places = new Map<string, Set<string>>();
  for (const { what, where } of unchecked) getOrInsert(places, what, () => new Set()).add(where);
  return [...places].map(([what, where]) => `not checked: ${what}: ${listNames([...where])}`);
};
