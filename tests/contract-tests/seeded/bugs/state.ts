import { isList, type Members, readJson, type Value } from '../service/json.ts';
import {
  bookIdOf,
  booksOf,
  json,
  membersOf,
  merge,
  pageOf,
  problem,
  showShelf,
  store,
} from '../service/library.ts';
import type { OperationId } from '../service/routes.ts';
import type { Bug, Bugs, Call, Handlers, Library, Reply } from '../service/variant.ts';

const bug = (
  names: readonly OperationId[],
  handlers: (right: Handlers, library: Library) => Partial<Handlers>,
): Bug => ({
  names,
  handlers,
});

/** Stores another book than the one that it answers with. */
const alters = (change: (fields: Members) => Members): Bug =>
  bug(['createBook', 'getBook'], ({ createBook }, { books }) => ({
    createBook: (call) => {
      const reply = createBook(call);
      const book = membersOf(reply.body);
      if (typeof book.id === 'bigint') books.set(book.id, change(book));
      return reply;
    },
  }));

const onText = (name: string, change: (text: string) => string): Bug =>
  alters((book) => (typeof book[name] === 'string' ? { ...book, [name]: change(String(book[name])) } : book));

const round = (value: Value | undefined): Value =>
  typeof value === 'bigint' ? BigInt(Number(value)) : (value ?? null);

/** Lists other books than there are. */
const lists = (list: (call: Call, library: Library) => Reply): Bug =>
  bug(['listBooks'], (_, library) => ({ listBooks: (call) => list(call, library) }));

const withTotal = (reply: Reply, total: bigint): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'X-Total-Count': total.toString() },
  body: { ...membersOf(reply.body), total },
});

const without = (call: Call, ...names: readonly string[]): Call => ({
  ...call,
  parameters: Object.fromEntries(Object.entries(call.parameters).filter(([name]) => !names.includes(name))),
});

/** Answers the same to the same address, whatever has happened since. */
const caches = (operation: OperationId, also: readonly OperationId[]): Bug =>
  bug([operation, ...also], (right) => {
    const known = new Map<string, Reply>();
    return {
      [operation]: (call: Call) => {
        const key = `${call.path}?${call.query}`;
        const reply = known.get(key) ?? right[operation](call);
        if (reply.status === 200) known.set(key, reply);
        return reply;
      },
    };
  });

/** Stores a book that it refuses. */
const storesRefused = (status: number): Bug => ({
  names: ['createBook'],
  replies: (reply, { operation, body }, library) => {
    if (operation === 'createBook' && reply.status === status)
      try {
        store(library, { ...membersOf(readJson(body.toString())), title: 'a', genre: 'novel', pages: 1n });
      } catch {
        // What is no JSON cannot be stored.
      }
    return reply;
  },
});

/** What goes wrong between requests. */
export const STATE_BUGS: Bugs = {
  'does not store a created book': bug(['createBook', 'getBook'], ({ createBook }, { books }) => ({
    createBook: (call) => {
      const reply = createBook(call);
      books.clear();
      return reply;
    },
  })),
  'does not store an opened loan': bug(['openLoan', 'getLoan'], ({ openLoan }, { loans }) => ({
    openLoan: (call) => {
      const reply = openLoan(call);
      loans.clear();
      return reply;
    },
  })),
  'rounds ids': bug(['createBook', 'getBook'], ({ createBook }) => ({
    createBook: (call) => {
      const { body, ...reply } = createBook(call);
      return { ...reply, body: { ...membersOf(body), id: round(membersOf(body).id) } };
    },
  })),
  'loses subtitles': alters(({ subtitle: _, ...book }) => book),
  'loses dimensions': alters(({ dimensions: _, ...book }) => book),
  'rounds barcodes': alters((book) => ('barcode' in book ? { ...book, barcode: round(book.barcode) } : book)),
  'rounds prices': alters((book) =>
    typeof book.price === 'number' ? { ...book, price: BigInt(Math.trunc(book.price)) } : book,
  ),
  'cuts titles': onText('title', (title) => [...title].slice(0, 20).join('')),
  'trims titles': onText('title', (title) => title.trim() || 'a'),
  'stores titles in lower case': onText('title', (title) => title.toLowerCase()),
  'escapes titles for HTML': onText('title', (title) =>
    title.replaceAll('<', '&lt;').replaceAll('&', '&amp;').slice(0, 60),
  ),
  'composes accents in titles': onText('title', (title) => title.normalize('NFC')),
  'forgets dates': onText('published', () => '2001-01-01'),
  'turns tags round': alters((book) =>
    isList(book.tags) ? { ...book, tags: book.tags.toReversed() } : book,
  ),
  'stores an empty text as null': alters((book) =>
    book.subtitle === '' ? { ...book, subtitle: null } : book,
  ),
  'gives two books the same id': bug(
    ['createBook', 'getBook', 'deleteBook'],
    ({ createBook }, { books }) => ({
      createBook: (call) => {
        const reply = createBook(call);
        const book: Members = { ...membersOf(reply.body), id: 4711n };
        books.delete(BigInt(String(membersOf(reply.body).id)));
        if (!books.has(4711n)) books.set(4711n, book);
        return { ...reply, headers: { ...reply.headers, Location: '/books/4711' }, body: book };
      },
    }),
  ),
  'shows another book': bug(['getBook'], (_, { books }) => ({
    getBook: (call) => {
      const other = [...books.values()].at(-1);
      return books.has(bookIdOf(call)) && other ? json(200, other) : problem(404, 'There is no such book');
    },
  })),
  'sends a Location that leads nowhere': bug(['openLoan', 'getLoan'], ({ openLoan }) => ({
    openLoan: (call) => ({
      ...openLoan(call),
      headers: {
        'Content-Type': 'application/json',
        Location: '/loans/0b57ac1e-ffff-4000-8000-000000000000',
      },
    }),
  })),
  'does not store a patch': bug(['updateBook', 'getBook'], (_, { books }) => ({
    updateBook: (call) => {
      const book = books.get(bookIdOf(call));
      return book ? json(200, merge(book, call.sent)) : problem(404, 'There is no such book');
    },
  })),
  'ignores a patch': bug(['updateBook'], ({ getBook }) => ({ updateBook: getBook })),
  'loses what a patch does not say': bug(['updateBook', 'getBook'], ({ updateBook }, { books }) => ({
    updateBook: (call) => {
      const reply = updateBook(call);
      const { id, title, genre, pages, createdAt } = membersOf(reply.body);
      if (reply.status !== 200 || typeof id !== 'bigint') return reply;
      const bare = {
        id,
        title: title ?? 'a',
        genre: genre ?? 'novel',
        pages: pages ?? 1n,
        createdAt: createdAt ?? null,
      };
      const book = merge(bare, call.sent);
      books.set(id, book);
      return json(200, book);
    },
  })),
  'keeps what a patch sets to null': bug(['updateBook', 'getBook'], ({ updateBook }) => ({
    updateBook: (call) =>
      updateBook({
        ...call,
        sent: Object.fromEntries(Object.entries(membersOf(call.sent)).filter(([, value]) => value !== null)),
      }),
  })),
  'patches all books': bug(['updateBook', 'getBook'], ({ updateBook }, { books }) => ({
    updateBook: (call) => {
      const reply = updateBook(call);
      if (reply.status === 200) for (const [id, book] of books) books.set(id, merge(book, call.sent));
      return reply;
    },
  })),
  'does not delete': bug(['deleteBook', 'getBook'], (_, { books }) => ({
    deleteBook: (call) =>
      books.has(bookIdOf(call)) ? { status: 204, headers: {} } : problem(404, 'There is no such book'),
  })),
  'does not close loans': bug(['closeLoan', 'getLoan'], (_, { loans }) => ({
    closeLoan: ({ parameters }) =>
      loans.has(String(parameters.loanId))
        ? { status: 204, headers: {} }
        : problem(404, 'There is no such loan'),
  })),
  'fails on a second delete': bug(['deleteBook'], ({ deleteBook }) => {
    const gone = new Set<bigint>();
    return {
      deleteBook: (call) => {
        const reply = gone.has(bookIdOf(call)) ? problem(500, 'The service failed') : deleteBook(call);
        if (reply.status === 204) gone.add(bookIdOf(call));
        return reply;
      },
    };
  }),
  'deletes every other book, too': bug(
    ['deleteBook', 'getBook', 'listBooks'],
    ({ deleteBook }, { books }) => ({
      deleteBook: (call) => {
        const reply = deleteBook(call);
        if (reply.status === 204) books.clear();
        return reply;
      },
    }),
  ),
  'lists deleted books': bug(['listBooks', 'deleteBook'], ({ deleteBook }, library) => {
    const gone: Members[] = [];
    return {
      deleteBook: (call) => {
        const book = library.books.get(bookIdOf(call));
        if (book) gone.push(book);
        return deleteBook(call);
      },
      listBooks: (call) =>
        pageOf(
          [
            ...gone.filter(({ genre }) => genre === (call.parameters.genre ?? genre)),
            ...booksOf(library, call),
          ],
          call,
        ),
    };
  }),
  'does not list created books': bug(['listBooks', 'createBook'], () => ({
    listBooks: () => json(200, { items: [], total: 0n }, { 'X-Total-Count': '0' }),
  })),
  'ignores the limit': lists((call, library) => pageOf(booksOf(library, call), without(call, 'limit'))),
  'lists one more than the limit': lists((call, library) => {
    const { limit } = call.parameters;
    const more = typeof limit === 'bigint' && limit < 100n ? limit + 1n : (limit ?? 20n);
    return pageOf(booksOf(library, call), { ...call, parameters: { ...call.parameters, limit: more } });
  }),
  'ignores the offset': lists((call, library) => pageOf(booksOf(library, call), without(call, 'offset'))),
  'counts the page instead of all': lists((call, library) => {
    const reply = pageOf(booksOf(library, call), call);
    const { items } = membersOf(reply.body);
    return withTotal(reply, BigInt(isList(items) ? items.length : 0));
  }),
  'counts one too many': lists((call, library) => {
    const books = booksOf(library, call);
    return withTotal(pageOf(books, call), BigInt(books.length + 1));
  }),
  'ignores the filter': lists((call, library) => pageOf(booksOf(library, without(call, 'genre')), call)),
  'finds nothing with a filter': lists((call, library) =>
    pageOf(call.parameters.genre === undefined ? booksOf(library, call) : [], call),
  ),
  'stores a book that it refuses with 400': storesRefused(400),
  'stores a book that it refuses with 415': storesRefused(415),
  'shows what a book was before its patch': caches('getBook', ['updateBook', 'deleteBook']),
  'lists what there was before': caches('listBooks', ['createBook', 'deleteBook']),
  'shows the reviews of all books': bug(['listReviews', 'addReview'], ({ listReviews }, { reviews }) => ({
    listReviews: (call) => {
      const reply = listReviews(call);
      return reply.status === 200 ? json(200, [...reviews.values()].flat()) : reply;
    },
  })),
  'does not store reviews': bug(['addReview', 'listReviews'], () => ({ listReviews: () => json(200, []) })),
  'merges what it should replace': bug(['putShelf', 'getShelf'], ({ putShelf }, { shelves }) => ({
    putShelf: (call) =>
      putShelf({ ...call, sent: { ...shelves.get(String(call.parameters.code)), ...membersOf(call.sent) } }),
  })),
  'does not replace': bug(['putShelf', 'getShelf'], ({ putShelf }, { shelves }) => ({
    putShelf: (call) => {
      const shelf = shelves.get(String(call.parameters.code));
      return shelf ? json(200, { ...showShelf(shelf), ...showShelf(membersOf(call.sent)) }) : putShelf(call);
    },
  })),
  'fails on a second put': bug(['putShelf'], ({ putShelf }, { shelves }) => ({
    putShelf: (call) =>
      shelves.has(String(call.parameters.code)) ? problem(500, 'The service failed') : putShelf(call),
  })),
  'has one shelf only': bug(['putShelf', 'getShelf'], ({ putShelf, getShelf }) => {
    const one = (call: Call): Call => ({ ...call, parameters: { code: 'AA-000' } });
    return { putShelf: (call) => putShelf(one(call)), getShelf: (call) => getShelf(one(call)) };
  }),
  'loses what a shelf may have': bug(['putShelf', 'getShelf'], ({ getShelf }) => ({
    getShelf: (call) => {
      const reply = getShelf(call);
      const { code, capacity, updatedAt } = membersOf(reply.body);
      return reply.status === 200
        ? json(200, { code: code ?? null, capacity: capacity ?? null, updatedAt: updatedAt ?? null })
        : reply;
    },
  })),
};
