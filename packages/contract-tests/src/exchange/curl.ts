import { shellQuote } from '@trellis/openapi/internal/values';
import { addHeaders, type Exchange, toWire, urlOf, type WireRequest } from '../requests/call.ts';
import { MARKED, shellSecretOf, shellVariable, toShell } from './credentials.ts';
import { lengthOf } from './transport.ts';

/** Quotes a word for a POSIX shell. Secrets become variables. */
const quote = (text: string): string => {
  if (text === '') return "''";
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  const parts = text.split(MARKED);
  // Parts at odd positions are names of variables.
  const isPlain = parts.every((part, index) => index % 2 === 1 || !/["$`\\!]/.test(part));
  if (parts.length > 1 && isPlain)
    return `"${parts.map((part, index) => (index % 2 === 1 ? toShell(part) : part)).join('')}"`;
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return `"${toShell(part)}"`;
      return part === '' ? '' : shellQuote(part);
    })
    .join('');
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a terminal would act on
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffd]/;

/** Escapes bytes in octal for printf. */
const toEscapes = (bytes: Buffer): string =>
  [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && !`'\\%`.includes(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `\\${byte.toString(8).padStart(3, '0')}`,
    )
    .join('');

/** Formats a request as a curl command, which prints the response headers unless other flags are given. */
export const toCurl = (base: string, request: WireRequest, flags = '-i'): string => {
  const { method, headers, body } = request;
  const text = body?.toString('utf8') ?? '';
  const isPrintable = !UNPRINTABLE.test(text);
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const url = urlOf(base, request);
  const words = [
    `curl ${flags}`,
    // Otherwise curl expands brackets and braces to several URLs.
    ...(/[[\]{}]/.test(url) ? ['--globoff'] : []),
    method === 'HEAD' ? '--head' : `-X ${method}`,
    quote(url),
    // curl itself sends the length of a body.
    ...[...headers, ...(body ? [] : lengthOf(request))].map(([name, value]) =>
      value === `Basic ${shellVariable('BASIC')}`
        ? '-u "$BASIC"'
        : // curl drops a header that is given as `Name:`.
          `-H ${quote(value === '' ? `${name};` : `${name}: ${value}`)}`,
    ),
    ...(body && !hasType ? ["-H 'Content-Type:'"] : []),
    ...(body ? [isPrintable ? `--data-raw ${quote(text)}` : '--data-binary @-'] : []),
  ];
  return (body && !isPrintable ? `printf '${toEscapes(body)}' | ` : '') + words.join(' ');
};

/** Formats requests as curl commands, one per line, with headers that are sent with every request. */
export const toScript = (
  url: string,
  exchanges: readonly Exchange[],
  headers: WireRequest['headers'] = [],
): string[] =>
  exchanges.map(({ call, reply }) => {
    const request = addHeaders(headers, toWire(call, shellSecretOf));
    // curl would wait forever for the end of an open stream.
    return toCurl(url, request, reply?.stream?.isOpen ? '-iN --max-time 5' : '-i');
  });
