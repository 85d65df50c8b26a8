import { shellQuote } from '@trellis/openapi/values';
import { shapeOfPath } from '../document/paths.ts';
import {
  type Draft,
  type Exchange,
  type MadeId,
  single,
  toWire,
  type WireRequest,
} from '../requests/draft.ts';
import { conceal, MARKED, shellVariable, toShell } from './credentials.ts';
import { lengthOf } from './transport.ts';

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
      return part === '' ? '' : shellQuote(part);
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

/** Ids that need no quotes and no escapes, wherever they stand. */
const PLAIN = /^[\w.~:@-]+$/;

const keyOf = ({ shape, text }: Pick<MadeId, 'shape' | 'text'>): string => `${shape} ${text}`;

/** The shell command that finds an id in the output of curl; `undefined` if that is not simple. */
const finderOf = ({ member, text }: MadeId, { reply }: Exchange): string | undefined => {
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

/** The segments of a path, each with the shape of the path up to it. */
const segmentsOf = (template: string): { readonly isId: boolean; readonly shape: string }[] => {
  const segments = template.split('/');
  return segments.map((segment, index) => ({
    isId: /^\{[^}]*\}$/.test(segment),
    shape: shapeOfPath(segments.slice(0, index + 1).join('/')),
  }));
};

/** The variables of ids that were found earlier, by the key of the id. */
type Variables = ReadonlyMap<string, { readonly name: string; readonly id: MadeId }>;

const inTarget = ({ operation }: Draft, target: string, known: Variables): string => {
  const [path = '', ...query] = target.slice(operation.base.length).split('?');
  const segments = segmentsOf(operation.path);
  const written = path.split('/').map((text, index) => {
    const { isId = false, shape = '' } = segments[index] ?? {};
    const variable = isId ? known.get(keyOf({ shape, text })) : undefined;
    return variable ? shellVariable(variable.name) : text;
  });
  return [operation.base + written.join('/'), ...query].join('?');
};

/** A body that repeats an id names it as a member. */
const inBody = (body: Buffer | undefined, known: Variables): Buffer | undefined => {
  if (!body) return body;
  let text = body.toString('utf8');
  for (const { name, id } of known.values())
    if (id.member !== undefined)
      for (const quote of ['"', ''])
        text = text.replaceAll(
          new RegExp(`"${id.member}":${quote}${id.text.replaceAll('.', '\\.')}${quote}(?=[,}])`, 'g'),
          () => `"${id.member}":${quote}${shellVariable(name)}${quote}`,
        );
  return text === body.toString('utf8') ? body : Buffer.from(text);
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
  const known = new Map<string, { name: string; id: MadeId }>();
  const wires = exchanges.map((exchange): { wire: WireRequest; finder?: string; name?: string } => {
    const { draft, made } = exchange;
    const plain = toWire(draft, conceal);
    const wire = {
      ...plain,
      target: inTarget(draft, plain.target, known),
      headers: [...headers, ...plain.headers],
      body: inBody(plain.body, known),
    };
    const finder = made && finderOf(made, exchange);
    if (!made || finder === undefined) return { wire };
    const name = `ID${known.size === 0 ? '' : known.size + 1}`;
    known.set(keyOf(made), { name, id: made });
    return { wire, finder, name };
  });
  return wires.map(({ wire, finder, name = '' }, index) => {
    const isNeeded = wires
      .slice(index + 1)
      .some((later) => `${later.wire.target} ${later.wire.body ?? ''}`.includes(shellVariable(name)));
    if (finder === undefined || !isNeeded) return toCurl(url, wire);
    const flags = finder.startsWith('tr') ? '-si' : '-s';
    return `${name}=$(${toCurl(url, wire, flags)} | ${finder})`;
  });
};
