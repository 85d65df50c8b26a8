/**
 * Finds the patterns of a contract that a client can make slow. The service matches a pattern against text from clients,
 * and Node may need time that doubles with each character, during which it answers nobody.
 *
 * recheck analyses the pattern itself, finds polynomial as well as exponential time, and gives a text that proves it.
 * safe-regex2 only counts nested repetitions: it accepts `\s+$` and `^[^\s@]+@[^\s@]+\.[^\s@]+$`, which are
 * quadratic, and warns of `^(?:[a-z0-9]+-)*[a-z0-9]+$`, which is linear. re2js matches in linear time, but does not have
 * the look-around of JSON Schema.
 */
import type { LocationObject } from '@redocly/openapi-core';
import { compilePattern } from '@trellis/openapi/schema';
import type { Complaint } from './complaints.ts';
import type { Diagnostics } from './recheck.ts';

/** A pattern and its place. */
export interface PatternPlace {
  readonly pattern: string;
  readonly place: LocationObject | undefined;
}

/**
 * What bounds the work of the analysis. It is work and not time, so that a busy machine comes to the same verdict. With
 * these, nearly all patterns of this length take less than two seconds.
 */
const LIMITS = { attackLimit: 1_000_000, maxNFASize: 1000, maxIteration: 5, maxInitialGenerationSize: 200 };
const LONGEST = 300;

const UNTIMED = { attackTimeout: null, incubationTimeout: null, seedingTimeout: null };

/** How long all patterns may take together, in milliseconds. No verdict depends on time, but for those that keep the analysis busy. */
const PATIENCE = 60_000;

const UNJUDGED = 'is not judged, and may be slow';

const REMEDY = 'write it so that no text can be matched in two ways, or let the handler check the text';

/** In so many ways a text may be matched: as many as one part has that repeats up to a thousand times. */
const FEW_WAYS = 1000;

/** What repeats without end, a group that repeats, and a back reference, which is as long as what it refers to. */
const MANY_WAYS = /[*+]|,\}|\)\{|\\[1-9k]/;

/** Repetitions between two bounds, options and alternatives: each multiplies the ways to match a text. */
const CHOICE = /\{(\d+),(\d+)\}|[?|]/g;

/** Whether a pattern is quick by its looks, and need not be analysed: that takes a second for some. */
const isPlainlyQuick = (pattern: string): boolean => {
  const choices = [...pattern.matchAll(CHOICE)];
  const ways = choices.map(([, least, most]) => (least === undefined ? 2 : Number(most) - Number(least) + 1));
  return !MANY_WAYS.test(pattern) && ways.reduce((all, some) => all * some, 1) <= FEW_WAYS;
};

const flagsOf = (pattern: string): string => compilePattern(pattern)?.flags ?? 'u';

/** What is wrong with a pattern. */
const complaintOf = (judged: Diagnostics): string | undefined => {
  if (judged.status === 'unknown') return judged.error.kind === 'timeout' ? UNJUDGED : undefined;
  if (judged.status !== 'vulnerable') return undefined;
  const { complexity, attack } = judged;
  return `takes ${complexity.summary.replace(' (fuzz)', '')} time, as on ${attack.pattern}`;
};

/** The results for all patterns so far: `npm run dev` checks the same patterns after every edit. */
const complaints = new Map<string, string | undefined>();

/** A complaint for each pattern that a client can make slow. */
export const findSlowPatterns = async (places: readonly PatternPlace[]): Promise<Complaint[]> => {
  const patterns = new Set(places.map(({ pattern }) => pattern));
  const unknown = [...patterns].filter((pattern) => !complaints.has(pattern) && !isPlainlyQuick(pattern));
  if (unknown.length > 0) {
    process.env.RECHECK_BACKEND ??= 'pure'; // in this process, without Java or a native program
    const { check } = await import('./recheck.ts'); // takes half a second to load
    const deadline = performance.now() + PATIENCE;
    for (const pattern of unknown) {
      const timeout = Math.ceil(deadline - performance.now());
      const judged =
        pattern.length <= LONGEST && timeout > 0
          ? await check(pattern, flagsOf(pattern), { ...LIMITS, ...UNTIMED, timeout }).catch(() => undefined)
          : undefined;
      complaints.set(pattern, judged ? complaintOf(judged) : UNJUDGED);
    }
  }
  return places.flatMap(({ pattern, place }) => {
    const complaint = complaints.get(pattern);
    if (complaint === undefined) return [];
    return complaint === UNJUDGED
      ? [{ place, subject: `pattern ${pattern}`, message: `${UNJUDGED}; ${REMEDY}` }]
      : [{ place, subject: '', message: `pattern ${pattern} ${complaint}; ${REMEDY}` }];
  });
};
