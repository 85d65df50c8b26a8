import type { WireRequest } from '../requests/draft.ts';

const MARKED = /\u{f0000}(\w+)\u{f0001}/gu;

/** Stands for a secret until the line is written, where it becomes `$TOKEN`. */
export const shellVariable = (name: string): string => `\u{f0000}${name}\u{f0001}`;

/** One word for a POSIX shell, secrets as variables. */
const quote = (text: string): string => {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  const parts = text.split(MARKED);
  // Odd ones are names of variables.
  const isPlain = parts.every((part, index) => index % 2 === 1 || !/["$`\\!]/.test(part));
  if (parts.length > 1 && isPlain)
    return `"${parts.map((part, index) => (index % 2 === 1 ? `$${part}` : part)).join('')}"`;
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return `"$${part}"`;
      return part === '' ? '' : `'${part.replaceAll("'", `'\\''`)}'`;
    })
    .join('');
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that a terminal would act on
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffd]/;

/** Octal escapes, which every printf knows. */
const toEscapes = (bytes: Buffer): string =>
  [...bytes]
    .map((byte) =>
      byte >= 0x20 && byte < 0x7f && !`'\\%`.includes(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `\\${byte.toString(8).padStart(3, '0')}`,
    )
    .join('');

/** A request as a line to paste into a shell. */
export const toCurl = (base: string, { method, target, headers, body }: WireRequest): string => {
  const text = body?.toString('utf8') ?? '';
  const isPrintable = !UNPRINTABLE.test(text);
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const words = [
    'curl -i',
    method === 'HEAD' ? '--head' : `-X ${method}`,
    quote(base.replace(/\/$/, '') + target),
    ...headers.map(([name, value]) =>
      value === `Basic ${shellVariable('BASIC')}` ? '-u "$BASIC"' : `-H ${quote(`${name}: ${value}`)}`,
    ),
    ...(body && !hasType ? ["-H 'Content-Type:'"] : []),
    ...(body ? [isPrintable ? `--data-raw ${quote(text)}` : '--data-binary @-'] : []),
  ];
  return (body && !isPrintable ? `printf '${toEscapes(body)}' | ` : '') + words.join(' ');
};
