import { NOTABLE_FORMATS } from './formats.ts';
import type { Notable, NotableOf } from './notable.ts';

/** Texts that break escaping, encoding, storage or comparison. */
const TEXTS: readonly (readonly [what: string, text: string, mayRefuse?: boolean])[] = [
  ['quotes and a backslash', `it's "a" \\ \`b\``],
  ['an emoji', '🌱'],
  ['separators of lists', 'a,b;c|d'],
  ['a percent sign', '100%'],
  ['what ends a statement of SQL', `'; --`],
  ['markup', '<script>alert(1)</script>&amp;'],
  ['newlines and a tab', 'a\nb\r\nc\td'],
  // RFC 8259, section 9 lets a parser limit the contents of texts; PostgreSQL cannot store this one.
  ['U+0000', '\u0000a', true],
  ['combining characters', 'e\u0301a\u0308'],
  ['text from right to left', 'שלום \u202eمرحبا'],
  ['characters of no width', 'a\u200b\u2060\ufeffb'],
  ['blanks around it', ' a '],
  ['nothing but a blank', ' '],
  ['placeholders of templates', `\${x}{{7*7}}#{x}%s%n$1`],
  ['the way to a folder above', '../../a'],
  ['what separates parts of a URL', 'a+b&c=d;e#f?g/h%41'],
  ['characters beyond the basic plane', '𝒜\u{10ffff}👩‍👩‍👧'],
  ['control characters', '\u0001\u001b[0m\u007f\u0085'],
  ['separators of lines', 'a\u2028b\u2029c'],
  ['letters that change their length in another case', 'ßİŉ'],
  ...['null', 'true', '0', 'NaN', 'undefined', '__proto__', 'constructor', '[]', '{}', '-1', '1e3'].map(
    (text) => [`the text ${text}`, text] as const,
  ),
  ['a formula of spreadsheets', '=1+1'],
];

/** The lengths at which columns, buffers and indexes end. */
const LENGTHS = [255, 256, 1024];
/** Longer than a column of TEXT in MySQL. RFC 8259, section 9 lets a parser limit the length of texts. */
const LONG = 65_536;

/** Fits a text into length bounds and keeps its notable part. */
const within = (text: string, min: number, max: number): string =>
  [...text]
    .slice(0, max)
    .join('')
    .padEnd(min, text.length > 0 ? 'a' : '');

const lengthsOf = (min: number, max: number | undefined): number[] => {
  const edges = [min, min + 1, ...(max === undefined || max > LONG ? LENGTHS : [max - 1, max])];
  return [...new Set(edges)].filter((length) => length >= min && length <= (max ?? LONG));
};

/** Texts of each notable length and content. */
export const notableTexts: NotableOf = (flat) => {
  const { format, minLength = 0, maxLength } = flat;
  const most = maxLength ?? LONG;
  if (format !== undefined && Object.hasOwn(NOTABLE_FORMATS, format))
    return [...(NOTABLE_FORMATS[format] ?? [])];
  const ofLength = (length: number): Notable[] => [
    { what: `of ${length} characters`, value: 'x'.repeat(length) },
    // Lengths are counted in code points (JSON Schema 2020-12 validation, section 6.3.1).
    ...(length === maxLength && length > 0
      ? [{ what: `of ${length} characters beyond the basic plane`, value: '🌱'.repeat(length) }]
      : []),
  ];
  const contents = TEXTS.map(([what, text, mayRefuse = false]) => ({
    what: `with ${what}`,
    value: within(text, minLength, most),
    mayRefuse,
  }));
  return [
    ...(minLength === 0 ? [{ what: 'empty', value: '' }] : []),
    ...lengthsOf(Math.max(1, minLength), maxLength).flatMap(ofLength),
    ...contents,
    ...(maxLength === undefined
      ? [{ what: `of ${LONG} characters`, value: 'x'.repeat(LONG), mayRefuse: true }]
      : []),
  ];
};
