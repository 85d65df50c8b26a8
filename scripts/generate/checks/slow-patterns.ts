/**
 * Finds the patterns of a contract that a client can make slow. A pattern is asked about every text that is sent, and
 * Node may take time for it that doubles with each character: the service answers nobody meanwhile.
 *
 * recheck analyses the pattern itself, finds polynomial time as well as exponential, and gives the text that shows it.
 * safe-regex2 counts nested repetitions only: it lets `\s+$` and `^[^\s@]+@[^\s@]+\.[^\s@]+$` pass, which are
 * quadratic, and warns of `^(?:[a-z0-9]+-)*[a-z0-9]+$`, which is linear. re2js would match in
 * linear time, but knows no look-around, which JSON Schema has.
 */
import { runInNewContext } from 'node:vm';
import type { LocationObject } from '@redocly/openapi-core';
import type { Diagnostics } from 'recheck';
import { at } from '../place.ts';

/** A pattern, and where it stands. */
export interface PatternPlace {
  readonly pattern: string;
  readonly place: LocationObject;
}

/** How long a pattern is looked at, in milliseconds; most take some tens. */
const JUDGED_WITHIN = 10_000;

/** What takes longer is slow, in milliseconds. */
const SLOW = 250;

const REMEDY = 'write it so that no text can be matched in two ways, or let the handler check the text';

/** V8 leaves a regular expression at a timeout, as it does a loop. */
const isSlow = (pattern: string, text: string): boolean => {
  try {
    runInNewContext("new RegExp(pattern, 'u').test(text)", { pattern, text }, { timeout: SLOW });
    return false;
  } catch {
    return true;
  }
};

/** A text that was found by trial may be slow for the engine of recheck alone: it is tried here. */
const complaintOf = (judged: Diagnostics): string | undefined => {
  if (judged.status === 'unknown' && judged.error.kind === 'timeout')
    return `could not be judged in ${JUDGED_WITHIN / 1000} s, and may be slow`;
  if (judged.status !== 'vulnerable') return undefined;
  const { source, complexity, attack } = judged;
  if (complexity.isFuzz && !isSlow(source, attack.string)) return undefined;
  return `takes ${complexity.summary.replace(' (fuzz)', '')} time, as on ${attack.pattern}`;
};

/** What was found about each pattern: while a contract is watched, it is asked about again and again. */
const complaints = new Map<string, string | undefined>();

/** A line for each pattern that a client can make slow. */
export const findSlowPatterns = async (places: readonly PatternPlace[]): Promise<string[]> => {
  const unknown = new Set(places.map(({ pattern }) => pattern).filter((pattern) => !complaints.has(pattern)));
  if (unknown.size > 0) {
    process.env.RECHECK_BACKEND ??= 'pure'; // in this process; neither Java nor a program of its own
    const { check } = await import('recheck'); // takes half a second to load
    for (const pattern of unknown)
      complaints.set(pattern, complaintOf(await check(pattern, 'u', { timeout: JUDGED_WITHIN })));
  }
  return places.flatMap(({ pattern, place }) => {
    const complaint = complaints.get(pattern);
    return complaint === undefined ? [] : [`${at(place)} pattern ${pattern} ${complaint}; ${REMEDY}`];
  });
};
