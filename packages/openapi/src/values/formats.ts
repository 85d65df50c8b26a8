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

/** The formats that schemas are checked for, and some that they are not. */
const FORMATS: ReadonlyMap<unknown, (nth: number) => string> = new Map<unknown, (nth: number) => string>([
  ['date-time', momentOf],
  ['iso-date-time', momentOf],
  ['date', (nth) => momentOf(nth).slice(0, 10)],
  ['time', timeOf],
  ['iso-time', timeOf],
  ['duration', (nth) => `PT${nth + 1}H`],
  ['uuid', (nth) => `6f1c2b1e-8d0a-4c7e-9b6a-2f3d${(0x4e5a6b7c + nth).toString(16).padStart(8, '0')}`],
  ['email', emailOf],
  ['idn-email', emailOf],
  ['uri', uriOf],
  ['url', uriOf],
  ['iri', uriOf],
  ['uri-reference', pathOf],
  ['iri-reference', pathOf],
  ['uri-template', (nth) => `${pathOf(nth)}/{id}`],
  ['hostname', hostOf],
  ['idn-hostname', hostOf],
  ['ipv4', (nth) => `192.0.2.${1 + (nth % 254)}`],
  ['ipv6', (nth) => `2001:db8::${(nth + 1).toString(16)}`],
  ['byte', (nth) => btoa(`example${ending(nth)}`)],
  ['json-pointer', pathOf],
  ['json-pointer-uri-fragment', (nth) => `#${pathOf(nth)}`],
  ['relative-json-pointer', (nth) => `${nth}/example`],
  ['regex', (nth) => `^example${ending(nth)}$`],
  ...['int32', 'int64', 'float', 'double'].map((name) => [name, String] as const),
]);

/** Makes the nth text of a format; `undefined` for an unknown format. */
export const formatText = (format: unknown): ((nth: number) => string) | undefined => FORMATS.get(format);
