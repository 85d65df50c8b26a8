import type { Ajv, Format } from 'ajv';
import addFormats, { type FormatName } from 'ajv-formats';

type Test = (text: string) => boolean;

/** Formats whose tests in ajv-formats take linear time. */
const DATES = ['date', 'time', 'date-time', 'iso-time', 'iso-date-time'] as const;
const TEXTS = [
  'duration',
  'uuid',
  'hostname',
  'ipv4',
  'ipv6',
  'uri-template',
  'json-pointer',
  'json-pointer-uri-fragment',
  'relative-json-pointer',
] as const;
const OTHERS = ['int32', 'float', 'double', 'password', 'binary'] as const;

const testOf = (name: FormatName): Test => {
  const format: Format = addFormats.default.get(name);
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return format;
  throw new Error(`ajv-formats has no test for ${name}`);
};

/** A text of some megabytes overflows the stack of regular expressions. It is refused, instead of causing a 500. */
const withinStack =
  (test: Test): Test =>
  (text) => {
    try {
      return test(text);
    } catch {
      return false;
    }
  };

/** RFC 4648, section 4. The expression of ajv-formats accepts a text if any of its lines is base64. */
const isBase64: Test = (text) => {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding));
};

/** The test of ajv-formats requires a dot in the domain; RFC 5321, section 2.3.5, does not: `dev@localhost`. */
const createEmailTest = (): Test => {
  const isDotted = testOf('email');
  return (text) => isDotted(`${text}.x`);
};

/**
 * A web URL. Node takes quadratic time for a long host; DNS limits a name to 253 characters (RFC 1035, section 2.3.4).
 */
const WEB = /^(?:https?|ftp):[\\/]*[^\\/?#]{1,1000}(?:[\\/?#]|$)/i;

/** Characters that the URL standard removes or replaces before parsing. */
const BLANK = /[\s\p{Cc}]/u;

/** Whether the URL standard accepts a text as a URL of the web, private hosts and names without a dot included. */
const isUrl: Test = (text) => WEB.test(text) && !BLANK.test(text) && URL.canParse(text);

/** The longest regular expression: V8 takes quadratic time for one with many groups and back references. */
const LONGEST_REGEX = 1000;

const createRegexTest = (): Test => {
  const isRegex = testOf('regex');
  return (text) => text.length <= LONGEST_REGEX && isRegex(text);
};

/**
 * Adds the formats that are enforced to an Ajv. Each takes linear time, and tests the whole text. Other formats are
 * ignored.
 */
export const enforceFormats = (ajv: Ajv): void => {
  addFormats.default(ajv, { formats: [...DATES, ...OTHERS], keywords: false });
  for (const name of TEXTS) ajv.addFormat(name, withinStack(testOf(name)));
  ajv.addFormat('byte', isBase64);
  ajv.addFormat('email', withinStack(createEmailTest()));
  ajv.addFormat('url', isUrl);
  for (const name of ['uri', 'uri-reference'] as const) {
    const isUri = withinStack(testOf(name)); // RFC 3986 knows ASCII only
    ajv.addFormat(name, (text: string) => isUri(text) || isUrl(text));
  }
  ajv.addFormat('regex', createRegexTest());
  ajv.addFormat('int64', true); // see exact-keywords.ts
};
