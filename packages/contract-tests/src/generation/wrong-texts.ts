import { present } from '../values/json.ts';
import { ownOf } from '../values/schema.ts';
import { type FaultsOf, fault, inOtherCase, LONGEST } from './wrong-values.ts';

/** Texts of a length, counted in code points, the first of which is the plainest. */
const textsOfLength = (value: string, length: number): string[] => {
  const points = [...value];
  const [first = 'x', last = 'x'] = [points[0], points.at(-1)];
  const missing = Math.max(0, length - points.length);
  return [
    'x'.repeat(length),
    points.slice(0, length).join('') + last.repeat(missing),
    first.repeat(missing) + points.slice(-length || points.length).join(''),
    value.repeat(Math.ceil(length / (points.length || 1))).slice(0, length),
  ];
};

/** Texts that a pattern accepts only without anchors, with the flag `m`, or with the flag `i`. */
const besidePattern = (value: string): (readonly [what: string, values: readonly string[]])[] => [
  ['by a character before it', [`!${value}`, ` ${value}`, `x${value}`, `0${value}`]],
  ['by a character after it', [`${value}!`, `${value} `, `${value}x`, `${value}0`]],
  ['by a newline after it', [`${value}\n`]],
  ['on a separate line', [`!\n${value}\n!`]],
  ['in another case', [inOtherCase(value)]],
];

/** Texts of a wrong length, format or pattern. */
export const wrongTexts: FaultsOf<string> = ({ format, pattern, minLength = 0, maxLength }, value) => {
  const tooShort = (length: number): string[] => ['🌱'.repeat(length), ...textsOfLength(value, length)];
  return [
    ...present(
      minLength > 0 &&
        minLength < LONGEST &&
        fault('minLength', `shorter than ${minLength}`, ...tooShort(minLength - 1)),
      maxLength !== undefined &&
        maxLength <= LONGEST &&
        fault('maxLength', `longer than ${maxLength}`, ...textsOfLength(value, maxLength + 1)),
      format !== undefined && fault('format', `in no ${format} format`, '\u0001'),
      pattern !== undefined && fault('pattern', 'off its pattern', '\u0001'),
    ),
    ...(ownOf(NEAR_FORMATS, format ?? '') ?? []).map((text) =>
      fault('format', `as ${JSON.stringify(text)}, which is no ${format}`, text),
    ),
    ...(pattern === undefined ? [] : besidePattern(value)).map(([what, values]) =>
      fault('pattern', `off its pattern ${what}`, ...values),
    ),
  ];
};

/** Texts that lenient parsers take for the format, such as `Date.parse` for dates, and that its standard does not allow. */
const NEAR_FORMATS: Readonly<Record<string, readonly string[]>> = {
  // RFC 3339, section 5.6: two digits each, a real day, and a time always with an offset.
  date: [
    ...['2024-1-1', '2024-02-30', '2023-02-29', '2024-13-01', '2024-00-10', '2024-01-32', '20240101'],
    ...['Jan 1 2024', '01/02/2024', '2024/01/02', '2024-01-01T00:00:00Z', ' 2024-01-01', '24-01-01'],
  ],
  'date-time': [
    ...['2024-01-01', '2024-1-1T00:00:00Z', '2024-02-30T00:00:00Z', '2023-02-29T00:00:00Z'],
    ...['2024-13-01T00:00:00Z', '2024-01-01T24:00:00Z', '2024-01-01T00:60:00Z', '2024-01-01T00:00:61Z'],
    ...['2024-01-01T00:00', '2024-01-01T00:00:00', '2024-01-01 00:00:00', '2024-01-01T00:00:00+24:00'],
    ...['Mon, 01 Jan 2024 00:00:00 GMT', 'Jan 1 2024', '1704067200', '2024-01-01T00:00:00.Z'],
  ],
  time: ['24:00:00Z', '12:60:00Z', '12:00', '12:00:00', '1:00:00Z', '12:00:00 PM'],
  // RFC 3339, appendix A.
  duration: ['1D', 'P', 'PT', 'P1H', 'P-1D', '00:01:00'],
  uuid: [
    'c0ffee00c0ffee00c0ffee00c0ffee00',
    '{c0ffee00-c0ff-4e00-8c0f-fee00c0ffee0}',
    'c0ffee00-c0ff-4e00-8c0f-fee00c0ffee',
    'c0ffee00-c0ff-4e00-8c0f-fee00c0ffeeg',
    'c0ffee00-c0ff-4e00-8c0f-fee00c0ffee01',
  ],
  // RFC 5321, section 4.1.2.
  email: ['example.com', '@example.com', 'ada@', 'ada@@example.com', 'ada@b@example.com', 'a da@example.com'],
  // RFC 3986, section 3: a URI begins with a scheme and has no blanks.
  uri: [
    'example.com/a',
    '/a/b',
    '//example.com/a',
    'http://exa mple.com/',
    'http://example.com/ab c',
    '1http://a/',
  ],
  'uri-reference': ['http://exa mple.com/', 'a b', '\\\\example'],
  hostname: ['-a.example', 'a..example', 'exa mple.com', 'exa_mple!.com', `${'a'.repeat(64)}.example`],
  ipv4: ['256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4 ', '0x1.2.3.4', '::1'],
  ipv6: ['1::2::3', '12345::', ':::', '1.2.3.4', 'fe80::1%eth0', '1:2:3:4:5:6:7'],
  // RFC 4648, section 4.
  byte: ['a', 'ab=', 'a*b=', 'YWJj YWJj', 'YWJ-_w=='],
};
