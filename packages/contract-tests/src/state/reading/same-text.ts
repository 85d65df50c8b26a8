/** How far apart two moments may be: services keep seconds, at the least. */
const MOST_MS = 1000;

const canonicalUrl = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

const isSameMoment = (one: string, other: string): boolean => {
  const [left, right] = [one, other].map((text) => Date.parse(text.toUpperCase()));
  // A leap second, or a year that this calendar cannot hold.
  if (left === undefined || right === undefined || Number.isNaN(left)) return true;
  return Math.abs(left - right) < MOST_MS;
};

/** Whether two different texts of a format mean the same. */
const SAME: ReadonlyMap<string, (one: string, other: string) => boolean> = new Map([
  ['date-time', isSameMoment],
  ['uri', (one: string, other: string) => canonicalUrl(one) === canonicalUrl(other)],
  ['byte', (one: string, other: string) => Buffer.from(one, 'base64').equals(Buffer.from(other, 'base64'))],
  ...['uuid', 'email', 'hostname'].map(
    (format) => [format, (one: string, other: string) => one.toLowerCase() === other.toLowerCase()] as const,
  ),
]);

/** Formats whose texts are kept letter by letter. */
const EXACT = new Set(['date', 'regex', 'json-pointer', 'uri-template', 'ipv4']);

/** Whether a text came back as it was sent. Texts of a format may be written in another way that means the same. */
export const isSameText = (one: string, other: string, formats: readonly string[]): boolean =>
  one === other ||
  formats.some((format) => {
    const same = SAME.get(format);
    // Nobody knows how texts of an unknown format may be written.
    return same ? same(one, other) : !EXACT.has(format);
  });
