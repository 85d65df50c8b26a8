const hex = (nth: number, digits: number): string => nth.toString(16).padStart(digits, '0');

/** `nth` as an ending: nothing for the first. */
const ending = (nth: number): string => (nth === 0 ? '' : `${nth + 1}`);

const momentOf = (nth: number): string =>
  new Date(Date.UTC(2026, 0, 31 + nth, 12)).toISOString().replace('.000', '');

const timeOf = (nth: number): string =>
  `12:${String(Math.floor(nth / 60) % 60).padStart(2, '0')}:${String(nth % 60).padStart(2, '0')}Z`;

/** The nth text of each format that schemas are checked for, and of some that they are not. */
const FORMATS: Readonly<Record<string, (nth: number) => string>> = {
  'date-time': momentOf,
  'iso-date-time': momentOf,
  date: (nth) => momentOf(nth).slice(0, 10),
  time: timeOf,
  'iso-time': timeOf,
  duration: (nth) => `PT${nth + 1}H`,
  uuid: (nth) => `6f1c2b1e-8d0a-4c7e-9b6a-2f3d${hex(0x4e5a6b7c + nth, 8)}`,
  email: (nth) => `someone${ending(nth)}@example.com`,
  'idn-email': (nth) => `someone${ending(nth)}@example.com`,
  uri: (nth) => `https://example.com/${ending(nth)}`,
  url: (nth) => `https://example.com/${ending(nth)}`,
  iri: (nth) => `https://example.com/${ending(nth)}`,
  'uri-reference': (nth) => `/example${ending(nth)}`,
  'iri-reference': (nth) => `/example${ending(nth)}`,
  'uri-template': (nth) => `/example${ending(nth)}/{id}`,
  hostname: (nth) => `${nth === 0 ? '' : `host${nth + 1}.`}example.com`,
  'idn-hostname': (nth) => `${nth === 0 ? '' : `host${nth + 1}.`}example.com`,
  ipv4: (nth) => `192.0.2.${1 + (nth % 254)}`,
  ipv6: (nth) => `2001:db8::${(nth + 1).toString(16)}`,
  byte: (nth) => Buffer.from(`example${ending(nth)}`).toString('base64'),
  'json-pointer': (nth) => `/example${ending(nth)}`,
  'json-pointer-uri-fragment': (nth) => `#/example${ending(nth)}`,
  'relative-json-pointer': (nth) => `${nth}/example`,
  regex: (nth) => `^example${ending(nth)}$`,
  int32: (nth) => `${nth}`,
  int64: (nth) => `${nth}`,
  float: (nth) => `${nth}`,
  double: (nth) => `${nth}`,
};

/** Shorter texts, for a schema with a `maxLength`. */
const SHORT: Readonly<Record<string, string>> = {
  email: 'a@b.co',
  'idn-email': 'a@b.co',
  uri: 'a:b',
  url: 'http://a.co',
  iri: 'a:b',
  'uri-reference': 'a',
  'iri-reference': 'a',
  'uri-template': 'a',
  hostname: 'a',
  'idn-hostname': 'a',
  ipv4: '1.1.1.1',
  ipv6: '::1',
  byte: 'YQ==',
  'json-pointer': '/',
  'json-pointer-uri-fragment': '#/',
  'relative-json-pointer': '0',
  regex: 'a',
};

/** Makes the nth text of a format; `undefined` for a format that nothing is known of. */
export const formatText = (format: unknown): ((nth: number) => string) | undefined =>
  typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;

/** A short text of a format. */
export const shortText = (format: string): string | undefined =>
  Object.hasOwn(SHORT, format) ? SHORT[format] : undefined;
