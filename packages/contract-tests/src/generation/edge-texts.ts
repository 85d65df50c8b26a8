import type { Json } from '../values/json.ts';
import type { SchemaObject } from '../values/schema.ts';

/** A valid value that services often mishandle. */
export interface EdgeCase {
  readonly what: string;
  readonly value: Json;
  /** Its JSON text, if that matters: `1.0`. */
  readonly written?: string;
  /** Whether a service may still reject it. */
  readonly mayRefuse?: boolean;
}

/** Lists the edge cases of a flat schema, most important first. Callers drop values that the schema does not accept. */
export type EdgeCasesOf = (flat: SchemaObject) => EdgeCase[];

/** A place in a value: its name `body.tags[0]`, and the path from the body, `['tags', '0']`. */
export interface Location {
  readonly place: string;
  readonly path: readonly string[];
}

/** A change of a valid value, which makes one part an edge case. Without a value, the part is removed. */
export type Variation = Location & Omit<EdgeCase, 'value'> & { readonly value: Json | undefined };

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

/** Fits a text into length bounds and keeps its start. */
const within = (text: string, min: number, max: number): string =>
  [...text]
    .slice(0, max)
    .join('')
    .padEnd(min, text.length > 0 ? 'a' : '');

const lengthsOf = (min: number, max: number | undefined): number[] => {
  const edges = [min, min + 1, ...(max === undefined || max > LONG ? LENGTHS : [max - 1, max])];
  return [...new Set(edges)].filter((length) => length >= min && length <= (max ?? LONG));
};

/** Texts of each length and content that services mishandle. */
export const edgeTexts: EdgeCasesOf = (flat) => {
  const { format, minLength = 0, maxLength } = flat;
  const most = maxLength ?? LONG;
  if (format !== undefined && Object.hasOwn(EDGE_FORMATS, format)) return [...(EDGE_FORMATS[format] ?? [])];
  const ofLength = (length: number): EdgeCase[] => [
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

const strict = (...values: readonly string[]): EdgeCase[] =>
  values.map((value) => ({ what: `as ${JSON.stringify(value)}`, value }));

/** Valid by the standard, but not every correct service stores it. */
const disputed = (...values: readonly string[]): EdgeCase[] =>
  strict(...values).map((each) => ({ ...each, mayRefuse: true }));

const DATES = strict('2024-02-29', '2000-02-29', '1969-12-31', '1900-01-01', '2038-01-20', '9999-12-31');
const TIMES = strict('00:00:00Z', '23:59:59Z', '12:00:00.1Z', '12:00:00.123456789Z', '12:00:00+05:30');

/** Values at the limits of their formats. */
const EDGE_FORMATS: Readonly<Record<string, readonly EdgeCase[]>> = {
  date: [...DATES, ...disputed('0000-01-01', '0001-01-01')],
  // RFC 3339, sections 4.3, 5.6 and 5.7: any offset, any number of digits, and leap seconds.
  'date-time': [
    ...strict('2024-02-29T12:00:00Z', '2024-01-01T00:00:00+14:00', '2024-01-01T00:00:00-12:00'),
    ...strict('2024-01-01T00:00:00-00:00', '2024-01-01T00:00:00+05:45', '2024-12-31T23:59:59Z'),
    ...strict('9999-12-31T23:59:59Z', '1969-12-31T23:59:59Z', '2038-01-19T03:14:08Z', '2000-02-29T00:00:00Z'),
    ...Array.from(
      { length: 9 },
      (_, index) => `2024-01-01T00:00:00.${'123456789'.slice(0, index + 1)}Z`,
    ).flatMap((text) => strict(text)),
    ...disputed('2016-12-31T23:59:60Z', '0000-01-01T00:00:00Z', '2024-01-01t00:00:00z'),
    ...disputed('2024-01-01T00:00:00+23:59', '2024-01-01T00:00:00.1234567890123Z'),
  ],
  time: [...TIMES, ...disputed('23:59:60Z', '12:00:00z')],
  duration: [...strict('P1D', 'PT0S', 'P1W', 'P1Y2M3DT4H5M6S'), ...disputed('P99999D')],
  uuid: [
    // RFC 9562, section 4: either case is read.
    ...strict('C0FFEE00-C0FF-4E00-8C0F-FEE00C0FFEE0', 'c0ffee00-c0ff-4e00-8c0f-fee00c0ffee0'),
    ...disputed('00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  ],
  email: [
    ...strict('a@b.co', 'ada.lovelace+letters@example.co.uk', "o'brien@example.com", 'ADA@EXAMPLE.COM'),
    ...disputed(`${'a'.repeat(64)}@example.com`, `ada@${'a'.repeat(63)}.example`, 'ada@localhost'),
  ],
  uri: [
    ...strict('https://example.com/', 'http://127.0.0.1:8080/a?b=c&d=%20#e', 'https://example.com'),
    ...disputed(
      'urn:isbn:0451450523',
      'mailto:ada@example.com',
      'http://[::1]/',
      `https://example.com/${'a'.repeat(2000)}`,
    ),
  ],
  url: [
    ...strict('https://example.com/', 'http://example.com:8080/a?b=c&d=%20#e'),
    ...disputed('http://localhost:3000/hook', 'http://10.0.0.1/', 'http://web:8080', 'https://x'),
  ],
  'uri-reference': [
    ...strict('/a/b?c#d', 'a', 'https://example.com/'),
    ...disputed('', '#', '//example.com'),
  ],
  hostname: [
    ...strict('example.com', 'a-b.example', 'xn--bcher-kva.example'),
    ...disputed('localhost', '1.example'),
  ],
  ipv4: strict('0.0.0.0', '255.255.255.255', '127.0.0.1'),
  ipv6: [...strict('::', '::1', '2001:DB8::1', '1:2:3:4:5:6:7:8'), ...disputed('::ffff:1.2.3.4')],
  byte: [...strict('YQ==', 'YWI=', 'YWJj', '+/+/'), ...disputed('')],
};
