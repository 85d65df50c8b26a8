/** `nth` as an ending: nothing for the first. */
const ending = (nth: number): string => (nth === 0 ? '' : `${nth + 1}`);

const momentOf = (nth: number): string =>
  new Date(Date.UTC(2026, 0, 31 + nth, 12)).toISOString().replace('.000', '');

const timeOf = (nth: number): string =>
  `12:${String(Math.floor(nth / 60) % 60).padStart(2, '0')}:${String(nth % 60).padStart(2, '0')}Z`;

const emailOf = (nth: number): string => `someone${ending(nth)}@example.com`;
const uriOf = (nth: number): string => `https://example.com/${ending(nth)}`;
const pathOf = (nth: number): string => `/example${ending(nth)}`;
const hostOf = (nth: number): string => `${nth === 0 ? '' : `host${nth + 1}.`}example.com`;

/** The nth text of a format, and a short one for a schema with a `maxLength`. */
type Format = readonly [make: (nth: number) => string, short?: string];

/** The formats that schemas are checked for, and some that they are not. */
const FORMATS: ReadonlyMap<unknown, Format> = new Map<unknown, Format>([
  ['date-time', [momentOf]],
  ['iso-date-time', [momentOf]],
  ['date', [(nth) => momentOf(nth).slice(0, 10)]],
  ['time', [timeOf]],
  ['iso-time', [timeOf]],
  ['duration', [(nth) => `PT${nth + 1}H`]],
  ['uuid', [(nth) => `6f1c2b1e-8d0a-4c7e-9b6a-2f3d${(0x4e5a6b7c + nth).toString(16).padStart(8, '0')}`]],
  ['email', [emailOf, 'a@b.co']],
  ['idn-email', [emailOf, 'a@b.co']],
  ['uri', [uriOf, 'a:b']],
  ['url', [uriOf, 'http://a.co']],
  ['iri', [uriOf, 'a:b']],
  ['uri-reference', [pathOf, 'a']],
  ['iri-reference', [pathOf, 'a']],
  ['uri-template', [(nth) => `${pathOf(nth)}/{id}`, 'a']],
  ['hostname', [hostOf, 'a']],
  ['idn-hostname', [hostOf, 'a']],
  ['ipv4', [(nth) => `192.0.2.${1 + (nth % 254)}`, '1.1.1.1']],
  ['ipv6', [(nth) => `2001:db8::${(nth + 1).toString(16)}`, '::1']],
  ['byte', [(nth) => btoa(`example${ending(nth)}`), 'YQ==']],
  ['json-pointer', [pathOf, '/']],
  ['json-pointer-uri-fragment', [(nth) => `#${pathOf(nth)}`, '#/']],
  ['relative-json-pointer', [(nth) => `${nth}/example`, '0']],
  ['regex', [(nth) => `^example${ending(nth)}$`, 'a']],
  ...['int32', 'int64', 'float', 'double'].map((name) => [name, [String]] as const),
]);

/** Makes the nth text of a format; `undefined` for a format that nothing is known of. */
export const formatText = (format: unknown): ((nth: number) => string) | undefined =>
  FORMATS.get(format)?.[0];

/** A short text of a format. */
export const shortText = (format: string): string | undefined => FORMATS.get(format)?.[1];
