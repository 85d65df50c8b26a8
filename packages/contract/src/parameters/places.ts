import { getOrInsert } from '@trellis/openapi/internal/json';
import { Problem } from '../problems/problem.ts';
import { type Sent, splitPair } from './styles.ts';

/** Header fields by name in lower case, as Node parses them. */
export interface RequestHeaders {
  readonly [name: string]: string | string[] | undefined;
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
  readonly 'content-length'?: string | undefined;
  readonly 'content-type'?: string | undefined;
  readonly 'transfer-encoding'?: string | undefined;
}

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** The place of a parameter (OAS 3.1, section 4.8.12.1). */
export type Place = (typeof PLACES)[number];

/** The place of a parameter, by its `in`; one `in: querystring` (OAS 3.2, section 4.12) is the whole query. */
export const placeOf = (value: unknown): Place | undefined =>
  value === 'querystring' ? 'query' : PLACES.find((place) => place === value);

/** A request before its body is read. openapi-backend defines the names of its members. */
export interface RequestHead {
  readonly method: string;
  /** The target of the request, its query included. */
  readonly path: string;
  readonly headers: RequestHeaders;
  /** The values of path parameters, still encoded. `matchOperation` fills them in. */
  params?: Readonly<Record<string, string>>;
}

/** Decodes percent-encoding; `undefined` if it is invalid, or encodes U+0000. */
const tryDecode = (text: string): string | undefined => {
  if (!text.includes('%')) return text;
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

/** Decodes percent-encoding; throws 400 if it is invalid. */
export const decodePercent = (text: string): string => {
  const decoded = tryDecode(text);
  if (decoded !== undefined) return decoded;
  throw new Problem('schemaMismatch', `${JSON.stringify(text)} is not the percent-encoding of a text`, {
    cause: 'a parameter is not the percent-encoding of a text',
  });
};

/**
 * RFC 9110, section 5.6.1: there may be spaces and tabs around the members of a list. No regular expression here: it
 * would take quadratic time on a long run of them.
 */
const trimSpace = (text: string): string => {
  const isSpace = (at: number) => text[at] === ' ' || text[at] === '\t';
  let [start, end] = [0, text.length];
  while (isSpace(start)) start += 1;
  while (end > start && isSpace(end - 1)) end -= 1;
  return text.slice(start, end);
};

/** How a value is decoded, by its place. */
export const DECODERS: Readonly<Record<Place, (text: string) => string>> = {
  path: decodePercent,
  query: (text) => decodePercent(text.replaceAll('+', ' ')),
  header: trimSpace,
  cookie: decodePercent,
};

/** Groups values by name. */
export const groupByName = <T>(
  pairs: Iterable<readonly [name: string, value: T]>,
): ReadonlyMap<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const [name, value] of pairs) getOrInsert(groups, name, () => []).push(value);
  return groups;
};

/** A name that cannot be decoded is not declared, and is ignored like all undeclared names. */
const decodeName = (name: string): string => tryDecode(name.replaceAll('+', ' ')) ?? name;

const queryOf = (target: string): string => {
  const start = target.indexOf('?');
  return start < 0 ? '' : target.slice(start + 1);
};

const queryPairs = (target: string): [name: string, value: string][] =>
  queryOf(target).split('&').filter(Boolean).map(splitPair);

/** The values sent in each place. Names are decoded, values are not yet. The query as a whole has an empty name. */
export const SENT: Readonly<Record<Place | 'querystring', (head: RequestHead) => Sent>> = {
  querystring: ({ path }) => new Map(queryOf(path) === '' ? [] : [['', [queryOf(path)]]]),
  path: ({ params = {} }) => groupByName(Object.entries(params)),
  query: ({ path }) =>
    groupByName(queryPairs(path).map(([name, value]) => [decodeName(name), value] as const)),
  header: ({ headers }) =>
    groupByName(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, String(value)] as const],
      ),
    ),
  cookie: ({ headers }) => groupByName((headers.cookie ?? '').split(/; */).filter(Boolean).map(splitPair)),
};

/** The first value sent in a place under a name, decoded; `undefined` if none was sent. */
export const sentIn = (place: Place, head: RequestHead, name: string): string | undefined => {
  const raw = SENT[place](head).get(place === 'header' ? name.toLowerCase() : name)?.[0];
  return raw === undefined ? undefined : DECODERS[place](raw);
};
