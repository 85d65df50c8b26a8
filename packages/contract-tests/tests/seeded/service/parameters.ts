import type { Value } from './json.ts';
import type { OperationId } from './routes.ts';
import {
  asBoolean,
  asInteger,
  asJson,
  asNumber,
  asText,
  deep,
  flat,
  label,
  many,
  matrix,
  one,
  type Pairs,
  type Reader,
  readPairs,
  split,
  valuesOf,
} from './styles.ts';
import type { Received } from './variant.ts';

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
