import type { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** A label of a host name (RFC 1123, section 2.1). */
const LABEL = '[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?';

/** RFC 5321, section 4.1.2, without quoted names and addresses in brackets: the domain may be one label. */
const EMAIL = new RegExp(`^[^\\s@"(),:;<>[\\]\\\\]+@${LABEL}(?:\\.${LABEL})*$`, 'i');

/** Whether the URL standard accepts a text as a URL of the web. */
const isUrl = (text: string): boolean =>
  /^(?:https?|ftp):[^\s\p{Cc}]{1,2000}$/iu.test(text) && URL.canParse(text);

/** Adds formats to an Ajv. ajv-formats rejects private hosts, names without a dot, and URLs beyond ASCII. */
export const addAllFormats = (ajv: Ajv2020): void => {
  addFormats.default(ajv, { keywords: false });
  ajv.addFormat('email', EMAIL);
  ajv.addFormat('url', isUrl);
  for (const name of ['uri', 'uri-reference'] as const) {
    const format = addFormats.default.get(name);
    const isUri = format instanceof RegExp ? (text: string) => format.test(text) : format;
    if (typeof isUri === 'function') ajv.addFormat(name, (text: string) => isUri(text) || isUrl(text));
  }
};
