import { compilePattern } from '../schema/pattern.ts';
import { formatText } from './formats.ts';
import { keywordIn, largestIn, type SchemaPart, smallestIn } from './parts.ts';
import { type Lengths, textsMatching } from './patterns.ts';

/** How many texts of one kind are made at most. */
const MOST_TEXTS = 1000;

/** A longer `minLength` is not met, because the reply would be too large to read. */
const LONGEST = 100_000;

/** The nth text without a format: it ends with its number, unless there is no room for that. */
const plainText = (nth: number, { least, most }: Lengths): string => {
  const text = nth === 0 ? 'text' : `text ${nth + 1}`;
  if (text.length <= most) return text.padEnd(least, '.');
  return nth === 0 ? text.slice(0, most) : (nth - 1).toString(36).padStart(least, 'a');
};

function* allTexts(parts: readonly SchemaPart[], lengths: Lengths): Generator<string> {
  for (const pattern of keywordIn(parts, 'pattern')) yield* textsMatching(String(pattern), lengths);
  for (const format of keywordIn(parts, 'format')) {
    const make = formatText(format);
    for (let nth = 0; make && nth < MOST_TEXTS; nth += 1) yield make(nth);
  }
  if (keywordIn(parts, 'contentEncoding').includes('base64')) yield 'ZXhhbXBsZQ==';
  for (let nth = 0; nth < MOST_TEXTS; nth += 1) yield plainText(nth, lengths);
}

/** Texts of the patterns, the formats and the lengths that a schema demands. Not every text of a format may fit. */
export function* textsOf(parts: readonly SchemaPart[]): Generator<string> {
  const least = Math.min(largestIn(parts, 'minLength') ?? 0, LONGEST);
  const most = smallestIn(parts, 'maxLength') ?? Number.POSITIVE_INFINITY;
  const matchers = keywordIn(parts, 'pattern').flatMap((pattern) => compilePattern(String(pattern)) ?? []);
  for (const text of allTexts(parts, { least, most }))
    if (text.length >= least && text.length <= most && matchers.every((matcher) => matcher.test(text)))
      yield text;
}
