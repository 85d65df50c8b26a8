/**
 * Finds the patterns of a contract that a client can make slow. The service matches a pattern against text from clients,
 * and Node may need time that doubles with each character, during which it answers nobody.
 *
 * recheck analyses the pattern itself, finds polynomial as well as exponential time, and gives a text that proves it.
 * safe-regex2 only counts nested repetitions: it accepts `\s+$` and `^[^\s@]+@[^\s@]+\.[^\s@]+$`, which are
 * quadratic, and warns of `^(?:[a-z0-9]+-)*[a-z0-9]+$`, which is linear. re2js matches in linear time, but does not have
 * the look-around of JSON Schema.
 */
import { runInNewContext } from 'node:vm';
import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';
import type { LocationObject } from '@redocly/openapi-core';
import type { Diagnostics } from 'recheck';
import { compilePattern } from '../../../src/contract/document/pattern.ts';
import type { Complaint } from './complaints.ts';

/** A pattern and its place. */
export interface PatternPlace {
  readonly pattern: string;
  readonly place: LocationObject | undefined;
}

/** How long the analysis of a pattern may take, in milliseconds; most take some tens. */
const JUDGED_WITHIN = 5000;

/** How long all of them may take together. After that, each is given only a moment. */
const ALL_JUDGED_WITHIN = 20_000;
const MOMENT = 100;

const UNJUDGED = 'could not be judged in time, and may be slow';

/** A match that takes longer is slow, in milliseconds. */
const SLOW = 250;

const REMEDY = 'write it so that no text can be matched in two ways, or let the handler check the text';

/** V8 stops a regular expression at a timeout, as it stops a loop. */
const isSlow = (pattern: string, text: string): boolean => {
  try {
    const compiled = compilePattern(pattern);
    runInNewContext('compiled.test(text)', { compiled, text }, { timeout: SLOW });
    return false;
  } catch {
    return true;
  }
};

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

/** What is wrong with a pattern. A text that recheck found by fuzzing may be slow in its own engine only, so it is tried. */
const complaintOf = (judged: Diagnostics): string | undefined => {
  if (judged.status === 'unknown' && judged.error.kind === 'timeout') return UNJUDGED;
  if (judged.status !== 'vulnerable') return undefined;
  const { source, complexity, attack } = judged;
  if (complexity.isFuzz && !isSlow(source, attack.string)) return undefined;
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
    const { check } = await import('recheck'); // takes half a second to load
    const end = performance.now() + ALL_JUDGED_WITHIN;
    for (const pattern of unknown) {
      const timeout = Math.max(MOMENT, Math.min(JUDGED_WITHIN, end - performance.now()));
      const judged = await check(pattern, flagsOf(pattern), { timeout }).catch(() => undefined);
      complaints.set(pattern, judged ? complaintOf(judged) : UNJUDGED);
    }
  }
  return places.flatMap(({ pattern, place }) => {
    const complaint = complaints.get(pattern);
    return complaint === undefined
      ? []
      : [{ place, subject: '', message: `pattern ${pattern} ${complaint}; ${REMEDY}` }];
  });
};
