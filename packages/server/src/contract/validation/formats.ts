import type { Ajv, Format } from 'ajv';
import addFormats, { type FormatName } from 'ajv-formats';

type Test = (text: string) => boolean;

/** Formats whose tests in ajv-formats take linear time. */
const DATES = ['date', 'time', 'date-time', 'iso-time', 'iso-date-time'] as const;
const TEXTS = [
  'duration',
  'uuid',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uri-reference',
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

/** RFC 4648, section 4. The expression of ajv-formats accepts a text if one of its lines is base64. */
const isBase64: Test = (text) => {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, text.length - padding));
};

/** Captures the host of a URL. A name in DNS has 253 characters at most (RFC 1035, section 2.3.4). */
const URL_PARTS = /^(?:https?|ftp):\/\/(?:[^\s/?#@]+@)?([^\s/?#@:]{1,253})(?::\d{2,5})?(?:\/\S*)?$/i;

/** ajv-formats takes quadratic time for a whole URL, so it tests the host only. */
const createUrlTest = (): Test => {
  const isUrl = testOf('url');
  return (text) => {
    const host = URL_PARTS.exec(text)?.[1];
    return host !== undefined && isUrl(`http://${host}`);
  };
};

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
  ajv.addFormat('url', createUrlTest());
  ajv.addFormat('regex', createRegexTest());
  ajv.addFormat('int64', true); // see exact-keywords.ts
};
