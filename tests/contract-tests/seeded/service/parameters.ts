import { readJson, readNumber, type Value } from './json.ts';
import type { OperationId } from './routes.ts';
import type { Received } from './variant.ts';

type Read = (text: string) => Value;

// What cannot be read stays a text, and the check of its type refuses it.
const asText: Read = (text) => text;
const asInteger: Read = (text) => (/^-?(0|[1-9]\d*)$/.test(text) ? BigInt(text) : text);
const asNumber: Read = (text) =>
  /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? readNumber(text) : text;
const asBoolean: Read = (text) => (text === 'true' || text === 'false' ? text === 'true' : text);
const asJson: Read = (text) => {
  try {
    return readJson(text);
  } catch {
    return text;
  }
};

/** Pairs of names and values in form-urlencoded text. Throws on a percent sign that encodes nothing. */
export const readPairs = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.replaceAll('+', ' ').split('=');
      return [decodeURIComponent(name), decodeURIComponent(value.join('='))];
    });

type Pairs = ReturnType<typeof readPairs>;
type Reader = (pairs: Pairs, name: string) => Value | undefined;

const valuesOf = (pairs: Pairs, name: string) =>
  pairs.flatMap(([each, value]) => (each === name ? value : []));

const one =
  (read: Read): Reader =>
  (pairs, name) =>
    valuesOf(pairs, name).map(read)[0];

const many =
  (read: Read): Reader =>
  (pairs, name) => {
    const values = valuesOf(pairs, name);
    return values.length === 0 ? undefined : values.map(read);
  };

const split = (separator: string, read: Read): Reader => one((text) => text.split(separator).map(read));

const readMembers = (entries: Pairs, reads: Readonly<Record<string, Read>>): Value =>
  Object.fromEntries(entries.map(([name, text]) => [name, (reads[name] ?? asText)(text)]));

const deep =
  (reads: Readonly<Record<string, Read>>): Reader =>
  (pairs, name) => {
    const entries = pairs.flatMap(([key, value]) => {
      const [, member] = key.startsWith(`${name}[`) ? (/\[(.*)\]$/.exec(key) ?? []) : [];
      return member === undefined ? [] : [[member, value] as const];
    });
    return entries.length === 0 ? undefined : readMembers(entries, reads);
  };

const flat = (reads: Readonly<Record<string, Read>>): Reader =>
  one((text) => {
    const parts = text.split(',');
    if (parts.length % 2 === 1) return text;
    const names = parts.filter((_, at) => at % 2 === 0);
    return readMembers(
      names.map((name, at) => [name, parts[at * 2 + 1] ?? '']),
      reads,
    );
  });

const label = (read: Read): Reader =>
  one((text) => (text.startsWith('.') ? text.slice(1).split('.').map(read) : text));

const matrix = (reads: Readonly<Record<string, Read>>): Reader =>
  one((text) => {
    const entries = text
      .split(';')
      .slice(1)
      .map((part) => part.split('='));
    return text.startsWith(';')
      ? readMembers(
          entries.map(([name = '', value = '']) => [name, value]),
          reads,
        )
      : text;
  });

interface Places {
  readonly path?: Readonly<Record<string, Reader>>;
  readonly query?: Readonly<Record<string, Reader>>;
  readonly header?: Readonly<Record<string, Reader>>;
  readonly cookie?: Readonly<Record<string, Reader>>;
  readonly required?: readonly string[];
}

const BOOK: Places = { path: { bookId: one(asInteger) } };
const LOAN: Places = { path: { loanId: one(asText) } };
const SHELF: Places = { path: { code: one(asText) } };

const PLACES: Readonly<Partial<Record<OperationId, Places>>> = {
  listBooks: { query: { limit: one(asInteger), offset: one(asInteger), genre: one(asText) } },
  getBook: BOOK,
  updateBook: BOOK,
  deleteBook: BOOK,
  addReview: BOOK,
  listReviews: BOOK,
  getLoan: LOAN,
  closeLoan: LOAN,
  putShelf: SHELF,
  getShelf: SHELF,
  exportCatalogue: { query: { since: one(asText) } },
  searchBooks: {
    required: ['q', 'X-Depth'],
    path: {
      genres: split(',', asText),
      years: label(asInteger),
      span: matrix({ from: asInteger, to: asInteger }),
    },
    query: {
      q: one(asText),
      ids: many(asInteger),
      languages: split(',', asText),
      sizes: split(' ', asInteger),
      moods: split('|', asText),
      filter: deep({ signed: asBoolean, minPrice: asNumber }),
      point: flat({ x: asInteger, y: asInteger }),
      window: one(asJson),
      maxPrice: one(asNumber),
      available: one(asBoolean),
      sort: one(asText),
    },
    header: { 'X-Request-Id': one(asText), 'X-Depth': one(asInteger) },
    cookie: { reader: one(asText) },
  },
};

const cookiesOf = (header = ''): Pairs => readPairs(header.replaceAll(/;\s*/g, '&'));

/** The values of all parameters of an operation, and the required ones that are missing. */
export const readParameters = (operation: OperationId, { segments, query, headers }: Received) => {
  const { path = {}, query: inQuery = {}, header = {}, cookie = {}, required = [] } = PLACES[operation] ?? {};
  const segmentPairs = Object.entries(segments).map(
    ([name, text]) => [name, decodeURIComponent(text)] as const,
  );
  const headerPairs = Object.keys(header).flatMap((name) => {
    const text = headers[name.toLowerCase()];
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  const read = (readers: Readonly<Record<string, Reader>>, pairs: Pairs) =>
    Object.entries(readers).flatMap(([name, reader]) => {
      const value = reader(pairs, name);
      return value === undefined ? [] : [[name, value] as const];
    });
  const parameters: Readonly<Record<string, Value>> = Object.fromEntries([
    ...read(path, segmentPairs),
    ...read(inQuery, readPairs(query)),
    ...read(header, headerPairs),
    ...read(cookie, cookiesOf(headers.cookie)),
  ]);
  return { parameters, missing: required.filter((name) => !Object.hasOwn(parameters, name)) };
};

/** The body of a form. */
export const readForm = (text: string): Value => {
  const pairs = readPairs(text);
  const labels = valuesOf(pairs, 'labels');
  return {
    ...Object.fromEntries(pairs.map(([name, value]) => [name, name === 'stars' ? asInteger(value) : value])),
    ...(labels.length > 0 ? { labels } : {}),
  };
};
