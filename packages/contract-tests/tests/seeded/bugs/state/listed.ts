import { isList, type Members, readJson } from '../../service/json.ts';
import { bookIdOf, booksOf, json, membersOf, pageOf, store } from '../../service/library.ts';
import type { Bug, Bugs, Call, Library, Reply } from '../../service/variant.ts';
import { bug, caches } from './bug.ts';

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

/** Stores a book that it refuses. */
const storesRefused = (status: number): Bug => ({
  names: ['createBook', 'listBooks'],
  replies: (reply, { operation, body }, library) => {
    if (operation === 'createBook' && reply.status === status)
      try {
        store(library, { ...membersOf(readJson(body.toString())), title: 'a', genre: 'novel', pages: 1n });
      } catch {
        // Other bodies cannot be stored.
      }
    return reply;
  },
});

/** Bugs in lists. */
export const LISTED_BUGS: Bugs = {
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
  'serves stale lists': caches('listBooks', ['createBook', 'deleteBook']),
  'shows the reviews of all books': bug(['listReviews', 'addReview'], ({ listReviews }, { reviews }) => ({
    listReviews: (call) => {
      const reply = listReviews(call);
      return reply.status === 200 ? json(200, [...reviews.values()].flat()) : reply;
    },
  })),
  'does not store reviews': bug(['addReview', 'listReviews'], () => ({ listReviews: () => json(200, []) })),
  'lists a review twice': bug(['listReviews', 'addReview'], ({ listReviews }) => ({
    listReviews: (call) => {
      const reply = listReviews(call);
      return isList(reply.body) ? { ...reply, body: [...reply.body, ...reply.body.slice(0, 1)] } : reply;
    },
  })),
  'keeps the latest review only': bug(['addReview', 'listReviews'], ({ addReview }, { reviews }) => ({
    addReview: (call) => {
      const reply = addReview(call);
      const id = bookIdOf(call);
      if (reply.status === 201) reviews.set(id, (reviews.get(id) ?? []).slice(-1));
      return reply;
    },
  })),
  'loses the stars of reviews': bug(['addReview', 'listReviews'], ({ addReview }, { reviews }) => ({
    addReview: (call) => {
      const reply = addReview(call);
      const id = bookIdOf(call);
      reviews.set(
        id,
        (reviews.get(id) ?? []).map((review) => ({ ...review, stars: 1n })),
      );
      return reply;
    },
  })),
};
