import { shellQuote } from '@trellis/openapi/internal/values';
import {
  addHeaders,
  type Exchange,
  type MadeId,
  type Reply,
  single,
  urlOf,
  type WireRequest,
} from '../requests/call.ts';
import { MARKED, shellVariable, toShell } from './credentials.ts';
import { linkRequests } from './linked-requests.ts';
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

/** Ids that need no quotes and no escapes, wherever they stand. */
const PLAIN = /^[\w.~:@-]+$/;

/** The shell command that finds an id in the output of curl; `undefined` if that is not simple. */
const finderOf = ({ path, text }: MadeId, reply: Reply | undefined): string | undefined => {
  const member = path?.at(-1);
  if (!reply || !PLAIN.test(text)) return undefined;
  if (member === undefined)
    return single(reply.headers.location)?.endsWith(`/${text}`)
      ? `tr -d '\\r' | sed -n 's|^[Ll]ocation:.*/||p'`
      : undefined;
  if (!/^\w+$/.test(member)) return undefined;
  const found =
    reply.body.toString('utf8').match(new RegExp(`"${member}" *: *"?[^\\]",} \\r\\n]*`, 'g')) ?? [];
  const index = found.findIndex((each) => each.replace(/^"\w+" *: *"?/, '') === text);
  if (index < 0) return undefined;
  return `grep -o '"${member}" *: *"\\{0,1\\}[^]",} ]*' | sed -n '${index + 1}s/^"${member}" *: *"\\{0,1\\}//p'`;
};

/**
 * Requests as lines for the shell, one for each. A line that creates something puts the id that the service makes into a
 * variable if a later line needs it, so that the lines can be run again. Needs sh, curl, grep, sed and tr.
 */
export const toScript = (
  url: string,
  exchanges: readonly Exchange[],
  /** Sent with every request. */
  headers: WireRequest['headers'] = [],
): string[] => {
  const linked = linkRequests(exchanges, (id, { reply }) => finderOf(id, reply) !== undefined);
  return linked.map(({ wire, gives }, index) => {
    const request = addHeaders(headers, wire);
    const { reply, made } = exchanges[index] ?? {};
    const finder = gives && made && finderOf(made, reply);
    // curl would wait forever for the end of an open stream.
    if (finder === undefined) return toCurl(url, request, reply?.stream?.isOpen ? '-iN --max-time 5' : '-i');
    const flags = finder.startsWith('tr') ? '-si' : '-s';
    return `${gives}=$(${toCurl(url, request, flags)} | ${finder})`;
  });
};
