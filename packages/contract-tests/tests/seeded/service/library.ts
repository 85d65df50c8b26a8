import { isList, isMembers, type Members, type Value } from './json.ts';
import type { Call, Handlers, Library, Reply } from './variant.ts';

/** A reply with a JSON body. */
export const json = (status: number, body: Value, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});

/** A reply that refuses. */
export const problem = (
  status: number,
  title: string,
  headers: Readonly<Record<string, string>> = {},
): Reply => json(status, { title, status }, { 'Content-Type': 'application/problem+json', ...headers });

const NOTHING: Reply = { status: 204, headers: {} };

/** Nothing is in it yet. */
export const createLibrary = (): Library => {
  let last = 0;
  const next = () => {
    last += 1;
    return last;
  };
  return { books: new Map(), reviews: new Map(), loans: new Map(), shelves: new Map(), next };
};

/** A body that is known to be an object. */
export const membersOf = (value: Value | undefined): Members => (isMembers(value) ? value : {});

/** The id in the path. Odd numbers beyond 2^53 are in no double. */
export const bookIdOf = ({ parameters }: Call): bigint =>
  typeof parameters.bookId === 'bigint' ? parameters.bookId : 0n;

const textOf = (value: Value | undefined): string => (typeof value === 'string' ? value : '');

/** A count in a parameter, or what holds without it. */
export const countOf = (value: Value | undefined, otherwise: number): number => {
  const count = Number.parseInt(String(value), 10);
  return Number.isNaN(count) ? otherwise : count;
};

const timeOf = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
const uuidOf = (count: number): string => `0b57ac1e-0000-4000-8000-${count.toString(16).padStart(12, '0')}`;

/** The next book of the library, stored. */
export const store = (library: Library, fields: Value): Members => {
  const count = library.next();
  const book = { ...membersOf(fields), id: 9007199254740991n + 2n * BigInt(count), createdAt: timeOf(count) };
  library.books.set(book.id, book);
  return book;
};

/** The members that a merge patch leaves (RFC 7396). */
export const merge = (book: Members, patch: Value): Members =>
  Object.fromEntries(
    Object.entries({ ...book, ...membersOf(patch) }).filter(
      ([name, value]) => value !== null || name === 'subtitle',
    ),
  );

/** A page of books. */
export const pageOf = (books: readonly Members[], { parameters }: Call): Reply => {
  const offset = countOf(parameters.offset, 0);
  const limit = countOf(parameters.limit, 20);
  const items = books.slice(offset, offset + limit);
  return json(200, { items, total: BigInt(books.length) }, { 'X-Total-Count': String(books.length) });
};

/** The books of the genre that a request asks for. */
export const booksOf = ({ books }: Library, { parameters }: Call): readonly Members[] =>
  [...books.values()].filter(({ genre }) => parameters.genre === undefined || genre === parameters.genre);

/** The representation of a shelf. */
export const showShelf = ({ pin: _, ...shelf }: Members): Members => shelf;

const loanIdOf = ({ parameters }: Call) => textOf(parameters.loanId).toLowerCase();

const loanHandlers = ({ loans, next }: Library): Pick<Handlers, 'openLoan' | 'getLoan' | 'closeLoan'> => ({
  openLoan: ({ sent }) => {
    const loan = { id: uuidOf(next()), terms: sent, state: 'open' };
    loans.set(loan.id, loan);
    return json(201, loan, { Location: `/loans/${loan.id}` });
  },
  getLoan: (call) => {
    const loan = loans.get(loanIdOf(call));
    return loan ? json(200, loan) : problem(404, 'There is no such loan');
  },
  closeLoan: (call) => (loans.delete(loanIdOf(call)) ? NOTHING : problem(404, 'There is no such loan')),
});

const shelfHandlers = ({ shelves, next }: Library): Pick<Handlers, 'putShelf' | 'getShelf'> => ({
  putShelf: ({ parameters, sent }) => {
    const code = textOf(parameters.code);
    const status = shelves.has(code) ? 200 : 201;
    const shelf = { ...membersOf(sent), code, updatedAt: timeOf(next()) };
    shelves.set(code, shelf);
    return json(status, showShelf(shelf));
  },
  getShelf: ({ parameters }) => {
    const shelf = shelves.get(textOf(parameters.code));
    return shelf ? json(200, showShelf(shelf)) : problem(404, 'There is no such shelf');
  },
});

/** The operations as they should be. */
export const createHandlers = (library: Library): Handlers => {
  const { books, reviews, next } = library;
  const withBook = (call: Call, answer: (book: Members, id: bigint) => Reply): Reply => {
    const id = bookIdOf(call);
    const book = books.get(id);
    return book ? answer(book, id) : problem(404, 'There is no such book');
  };
  return {
    getStatus: () => json(200, { state: 'open', version: '1.0', visitors: BigInt(books.size) }),
    createBook: ({ sent }) => {
      const book = store(library, sent);
      return json(201, book, { Location: `/books/${book.id}` });
    },
    listBooks: (call) => pageOf(booksOf(library, call), call),
    getBook: (call) => withBook(call, (book) => json(200, book, { ETag: `"${book.createdAt}"` })),
    updateBook: (call) =>
      withBook(call, (book, id) => {
        const merged = merge(book, call.sent);
        books.set(id, merged);
        return json(200, merged);
      }),
    deleteBook: (call) =>
      withBook(call, (_, id) => {
        books.delete(id);
        reviews.delete(id);
        return NOTHING;
      }),
    addReview: (call) =>
      withBook(call, (_, id) => {
        const review = { ...membersOf(call.sent), id: uuidOf(next()) };
        const others = reviews.get(id) ?? [];
        if (others.some(({ reviewer }) => reviewer === membersOf(call.sent).reviewer))
          return problem(409, 'This reviewer has reviewed the book already');
        reviews.set(id, [...others, review]);
        return json(201, review);
      }),
    listReviews: (call) => withBook(call, (_, id) => json(200, reviews.get(id) ?? [])),
    ...loanHandlers(library),
    ...shelfHandlers(library),
    searchBooks: ({ parameters }) => {
      const genres = isList(parameters.genres) ? parameters.genres : [];
      const items = [...books.values()].slice(0, 20).filter(({ genre }) => genres.includes(genre ?? null));
      return json(200, { items, depth: parameters['X-Depth'] ?? 1n });
    },
    sendFeedback: () => json(202, { ticket: uuidOf(next()) }),
    exportCatalogue: () => {
      const lines = [...books.values()].slice(0, 20).map(({ id, pages }) => `${id},${pages}`);
      return {
        status: 200,
        headers: { 'Content-Type': 'text/csv' },
        raw: ['id,title', ...lines].join('\r\n'),
      };
    },
  };
};
