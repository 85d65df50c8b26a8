/**
 * Finds the patterns of a contract that a client can make slow. The service matches a pattern against text from clients,
 * and Node may need time that doubles with each character, during which it answers nobody.
 *
 * recheck analyses the pattern itself, finds polynomial as well as exponential time, and gives a text that proves it.
 * safe-regex2 only counts nested repetitions: it accepts `\s+$` and `^[^\s@]+@[^\s@]+\.[^\s@]+$`, which are
 * quadratic, and warns of `^(?:[a-z0-9]+-)*[a-z0-9]+$`, which is linear. re2js matches in linear time, but does not have
 * the look-around of JSON Schema.
 */
import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';
import type { LocationObject } from '@redocly/openapi-core';
import { compilePattern } from '@trellis/openapi/document';
import type { Complaint } from './complaints.ts';
import type { Diagnostics } from './recheck.ts';

/** A pattern and its place. */
export interface PatternPlace {
  readonly pattern: string;
  readonly place: LocationObject | undefined;
}

/**
 * What bounds the work of the analysis. It is work and not time, so that a busy machine comes to the same verdict. With
 * these, a pattern of this length took at most two seconds.
 */
const LIMITS = { attackLimit: 1_000_000, maxNFASize: 1000, maxIteration: 5, maxInitialGenerationSize: 200 };
const LONGEST = 300;
const MOST_JUDGED = 500;

/** No verdict depends on time, but for patterns that are made to keep the analysis busy. In milliseconds. */
const PATIENCE = 60_000;
const UNTIMED = { attackTimeout: null, incubationTimeout: null, seedingTimeout: null, timeout: PATIENCE };

const UNJUDGED = 'is not judged, and may be slow';

const REMEDY = 'write it so that no text can be matched in two ways, or let the handler check the text';

/** The most steps with which a match is quick wherever it starts: those of one part that repeats up to a thousand times. */
const FEW_STEPS = 2500;

/** How many steps a match takes at most, and in how many ways it can succeed: whatever follows may be tried after each. */
interface Effort {
  readonly steps: number;
  readonly ways: number;
}

const ONE: Effort = { steps: 1, ways: 1 };
const ENDLESS: Effort = { steps: Number.POSITIVE_INFINITY, ways: Number.POSITIVE_INFINITY };

const then = (first: Effort, next: Effort): Effort => ({
  steps: first.steps + first.ways * next.steps,
  ways: first.ways * next.ways,
});

const either = (one: Effort, other: Effort): Effort => ({
  steps: one.steps + other.steps,
  ways: one.ways + other.ways,
});

const repeat = (part: Effort, min: number, max: number): Effort => {
  if (max > FEW_STEPS) return ENDLESS;
  let [whole, last] = [
    { steps: 0, ways: min === 0 ? 1 : 0 },
    { steps: 0, ways: 1 },
  ];
  for (let times = 1; times <= max; times += 1) {
    last = { steps: last.ways * part.steps, ways: last.ways * part.ways };
    whole = { steps: whole.steps + last.steps, ways: whole.ways + (times < min ? 0 : last.ways) };
  }
  return whole;
};

const effortOfAny = (alternatives: readonly AST.Alternative[]): Effort =>
  alternatives
    .map(({ elements }) => elements.map(effortOf).reduce(then, ONE))
    .reduce(either, { steps: 0, ways: 0 });

const effortOf = (element: AST.Element): Effort => {
  switch (element.type) {
    case 'Quantifier':
      return repeat(effortOf(element.element), element.min, element.max);
    case 'Group':
    case 'CapturingGroup':
      return effortOfAny(element.alternatives);
    case 'Assertion':
      return 'alternatives' in element ? effortOfAny(element.alternatives) : ONE;
    case 'Character':
    case 'CharacterClass':
    case 'CharacterSet':
      return ONE;
    default:
      return ENDLESS; // a back reference is as long as what it refers to
  }
};

/** Whether a pattern is quick by its looks: no part repeats without end, and few texts can be matched in many ways. */
const isPlainlyQuick = (pattern: string): boolean => {
  const compiled = compilePattern(pattern);
  return (
    compiled !== undefined &&
    effortOfAny(parseRegExpLiteral(compiled).pattern.alternatives).steps <= FEW_STEPS
  );
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
    for (const [index, pattern] of unknown.entries()) {
      const isJudged = index < MOST_JUDGED && pattern.length <= LONGEST;
      const judged = isJudged
        ? await check(pattern, flagsOf(pattern), { ...LIMITS, ...UNTIMED }).catch(() => undefined)
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
