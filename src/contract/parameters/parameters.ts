import type { IncomingHttpHeaders } from 'node:http';
import { fromDocument, parseJson } from '../json/parse.ts';
import { followRefs, ownMember, pointerTo, valueAt } from '../json/pointer.ts';
import { Problem } from '../problems/problem.ts';
import { listViolations } from '../problems/violations.ts';
import type { CompileAccepts } from '../schema/branches.ts';
import { defaultOf, membersOf } from '../schema/shape.ts';
import { createReader } from './reader.ts';
import { type Sent, splitPair } from './styles.ts';
import type { Read, Typed } from './values.ts';

/** Where a parameter can stand (OAS 3.1, section 4.8.12.1). */
export const PLACES = ['path', 'query', 'header', 'cookie'] as const;
export type Place = (typeof PLACES)[number];

/** Values by place and name. */
export type Parts = Readonly<Record<Place, Record<string, unknown>>>;

/** A request before its body is read. */
export interface RequestHead {
  readonly path: Readonly<Record<string, string>>;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** A parameter of an operation, found in the document. */
export interface Parameter {
  readonly name: string;
  /** Its name in a request: header names are case-insensitive. */
  readonly key: string;
  readonly place: Place;
  readonly required: boolean;
  /** Where its schema stands. */
  readonly schemaAt: string;
  readonly read: Read<Sent>;
}

/** These describe the message, not the operation, and are no parameters (OAS 3.1, section 4.8.12.1). */
const NOT_PARAMETERS = ['accept', 'content-type', 'authorization'] as const;

/** A header that is no parameter, in small letters. */
export type NotParameter = (typeof NOT_PARAMETERS)[number];

const isParameter = (name: string, place: Place): boolean =>
  place !== 'header' || !NOT_PARAMETERS.some((other) => other === name.toLowerCase());

const DEFAULT_STYLE: Readonly<Record<Place, string>> = {
  path: 'simple',
  query: 'form',
  header: 'simple',
  cookie: 'form',
};

/** Narrows to a place of parameters. */
export const isPlace = (value: unknown): value is Place => PLACES.some((place) => place === value);

/** `undefined` for what is the percent-encoding of no text. */
const tryDecode = (text: string): string | undefined => {
  if (!text.includes('%')) return text;
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

const decodePercent = (text: string): string => {
  const decoded = tryDecode(text);
  if (decoded !== undefined) return decoded;
  throw new Problem('schemaMismatch', `${JSON.stringify(text)} is not the percent-encoding of a text`);
};

/**
 * RFC 9110, section 5.6.1: there may be spaces and tabs around the members of a list. No regular expression here: one
 * takes quadratic time on a long run of them.
 */
const trimSpace = (text: string): string => {
  const isSpace = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [start, end] = [0, text.length];
  while (isSpace(start)) start += 1;
  while (end > start && isSpace(end - 1)) end -= 1;
  return text.slice(start, end);
};

const DECODERS: Readonly<Record<Place, (text: string) => string>> = {
  path: decodePercent,
  query: (text) => decodePercent(text.replaceAll('+', ' ')),
  header: trimSpace,
  cookie: decodePercent,
};

/** Gathers values by name. */
export const collect = <T>(pairs: Iterable<readonly [name: string, value: T]>): ReadonlyMap<string, T[]> => {
  const sent = new Map<string, T[]>();
  for (const [name, value] of pairs) {
    const values = sent.get(name);
    if (values) values.push(value);
    else sent.set(name, [value]);
  }
  return sent;
};

/** A name that cannot be decoded is no declared one, and is left alone as the undeclared are. */
const decodeName = (name: string): string => tryDecode(name.replaceAll('+', ' ')) ?? name;

/** What was sent in each place. Names are decoded, values are not yet. */
const SENT: Readonly<Record<Place, (head: RequestHead) => Sent>> = {
  path: ({ path }) => collect(Object.entries(path)),
  query: ({ target }) => {
    const start = target.indexOf('?');
    const pairs =
      start < 0
        ? []
        : target
            .slice(start + 1)
            .split('&')
            .filter(Boolean)
            .map(splitPair);
    return collect(pairs.map(([name, value]) => [decodeName(name), value] as const));
  },
  header: ({ headers }) =>
    collect(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as const],
      ),
    ),
  cookie: ({ headers }) => collect((headers.cookie ?? '').split(/; */).filter(Boolean).map(splitPair)),
};

/** One text that was sent in a place under a name, decoded; `undefined` if none was. */
export const sentIn = (place: Place, head: RequestHead, name: string): string | undefined => {
  const raw = SENT[place](head).get(place === 'header' ? name.toLowerCase() : name)?.[0];
  return raw === undefined ? undefined : DECODERS[place](raw);
};

/** Where the schema of the parameter at a pointer stands: in a media type, or by itself. */
export const parameterSchemaAt = (document: unknown, at: string): string => {
  const [mediaType] = Object.keys(ownMember(valueAt(document, at), 'content') ?? {});
  return at + (mediaType === undefined ? pointerTo('schema') : pointerTo('content', mediaType, 'schema'));
};

/** What a handler gets of a parameter that was not sent. What a path lacks was sent in another style. */
export const parameterDefault = (document: unknown, place: Place, schemaAt: string): unknown =>
  place === 'path' ? undefined : defaultOf(document, schemaAt);

/** Finds the parameters of an operation and compiles how each is read. */
export const createParameters = (document: unknown, acceptsAt: CompileAccepts) => {
  const compileReader = createReader(document, acceptsAt);

  const compileRead = (at: string, name: string, place: Place): Pick<Parameter, 'schemaAt' | 'read'> => {
    const parameter = valueAt(document, at);
    const decode = DECODERS[place];
    const schemaAt = parameterSchemaAt(document, at);
    const hasMediaType = schemaAt !== at + pointerTo('schema');
    const fallback = parameterDefault(document, place, schemaAt);
    const orDefault = (typed: Typed | undefined): Typed | undefined =>
      typed ?? (fallback === undefined ? undefined : fromDocument(fallback));
    if (hasMediaType) {
      const read = (sent: Sent): Typed | undefined => {
        const raw = sent.get(name)?.[0];
        if (raw === undefined) return undefined;
        const json = parseJson(Buffer.from(decode(raw)), `${place}.${name}`);
        if (json.unstorable.length > 0) throw new Problem('schemaMismatch', listViolations(json.unstorable));
        return json;
      };
      return { schemaAt, read: (sent) => orDefault(read(sent)) };
    }
    const style = String(ownMember(parameter, 'style') ?? DEFAULT_STYLE[place]);
    const explode = Boolean(ownMember(parameter, 'explode') ?? style === 'form');
    const members = membersOf(document, schemaAt);
    const read = compileReader({ name, style, explode, members }, schemaAt, decode);
    return { schemaAt, read: (sent) => orDefault(read(sent)) };
  };

  const parametersAt = (pointer: string): Parameter[] =>
    Object.keys(valueAt(document, pointer) ?? {}).flatMap((index) => {
      const at = followRefs(document, pointer + pointerTo(index));
      const declared = valueAt(document, at);
      const place = ownMember(declared, 'in');
      const name = String(ownMember(declared, 'name'));
      if (!isPlace(place) || !isParameter(name, place)) return [];
      const key = place === 'header' ? name.toLowerCase() : name;
      return [
        {
          name,
          key,
          place,
          required: ownMember(declared, 'required') === true,
          ...compileRead(at, key, place),
        },
      ];
    });

  /** An operation's own parameters go before those of its path (OAS 3.1, section 4.8.10.1). */
  return (path: string, method: string): Parameter[] => {
    const item = followRefs(document, pointerTo('paths', path));
    const all = [
      ...parametersAt(item + pointerTo('parameters')),
      ...parametersAt(item + pointerTo(method, 'parameters')),
    ];
    return [...new Map(all.map((parameter) => [`${parameter.place} ${parameter.name}`, parameter])).values()];
  };
};

const NONE: Parts = Object.freeze({
  path: Object.freeze({}),
  query: Object.freeze({}),
  header: Object.freeze({}),
  cookie: Object.freeze({}),
});

/** Reads parameters from a request; what was not sent, and has no default, is left out. */
export const readParameters = (
  parameters: readonly Parameter[],
  head: RequestHead,
): { values: Parts; exact: Parts } => {
  if (parameters.length === 0) return { values: NONE, exact: NONE };
  const values: Parts = { path: {}, query: {}, header: {}, cookie: {} };
  const exact: Parts = { path: {}, query: {}, header: {}, cookie: {} };
  const sent: Partial<Record<Place, Sent>> = {};
  for (const { key, place, read } of parameters) {
    sent[place] ??= SENT[place](head);
    const typed = read(sent[place]);
    if (typed === undefined) continue;
    values[place][key] = typed.value;
    exact[place][key] = typed.exact;
  }
  return { values, exact };
};
