import type { WireRequest } from '../requests/draft.ts';
import { lengthOf } from './transport.ts';

const MARKED = /\u{f0000}([^\u{f0001}]+)\u{f0001}/gu;

/** A placeholder for a secret, which becomes `$TOKEN` when the line is written. It may be an expression: `${TOKEN%?}`. */
export const shellVariable = (name: string): string => `\u{f0000}${name}\u{f0001}`;

const toShell = (marked: string): string => (/^\w+$/.test(marked) ? `$${marked}` : marked);

/** Quotes a word for a POSIX shell; secrets become variables. */
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
      return part === '' ? '' : `'${part.replaceAll("'", `'\\''`)}'`;
    })
    .join('');
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: characters that a terminal would act on
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffd]/;

/** Writes bytes with octal escapes, which every printf understands. */
const toEscapes = (bytes: Buffer): string =>
  [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && !`'\\%`.includes(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `\\${byte.toString(8).padStart(3, '0')}`,
    )
    .join('');

/** A request as a line for the shell, whose output begins with the header fields unless other flags are given. */
export const toCurl = (base: string, request: WireRequest, flags = '-i'): string => {
  const { method, target, headers, body } = request;
  const text = body?.toString('utf8') ?? '';
  const isPrintable = !UNPRINTABLE.test(text);
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const words = [
    `curl ${flags}`,
    method === 'HEAD' ? '--head' : `-X ${method}`,
    quote(base.replace(/\/$/, '') + target),
    // Of a body curl says the length itself.
    ...[...headers, ...(body ? [] : lengthOf(request))].map(([name, value]) =>
      value === `Basic ${shellVariable('BASIC')}` ? '-u "$BASIC"' : `-H ${quote(`${name}: ${value}`)}`,
    ),
    ...(body && !hasType ? ["-H 'Content-Type:'"] : []),
    ...(body ? [isPrintable ? `--data-raw ${quote(text)}` : '--data-binary @-'] : []),
  ];
  return (body && !isPrintable ? `printf '${toEscapes(body)}' | ` : '') + words.join(' ');
};
