import { bookIdOf, json, membersOf, merge, problem, showShelf } from '../../service/library.ts';
import type { Bugs, Call } from '../../service/variant.ts';
import { bug, caches } from './bug.ts';

/** Bugs in changing or deleting a thing. */
export const CHANGED_BUGS: Bugs = {
  'does not store a patch': bug(['updateBook', 'getBook'], (_, { books }) => ({
    updateBook: (call) => {
      const book = books.get(bookIdOf(call));
      return book ? json(200, merge(book, call.sent)) : problem(404, 'There is no such book');
    },
  })),
  'ignores a patch': bug(['updateBook'], ({ getBook }) => ({ updateBook: getBook })),
  'loses members that a patch omits': bug(['updateBook', 'getBook'], ({ updateBook }, { books }) => ({
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
  'keeps members that a patch sets to null': bug(['updateBook', 'getBook'], ({ updateBook }) => ({
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
  'shows a book as before its patch': caches('getBook', ['updateBook', 'deleteBook']),
  'merges instead of replacing': bug(['putShelf', 'getShelf'], ({ putShelf }, { shelves }) => ({
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
  'loses optional members of a shelf': bug(['putShelf', 'getShelf'], ({ getShelf }) => ({
    getShelf: (call) => {
      const reply = getShelf(call);
      const { code, capacity, updatedAt } = membersOf(reply.body);
      return reply.status === 200
        ? json(200, { code: code ?? null, capacity: capacity ?? null, updatedAt: updatedAt ?? null })
        : reply;
    },
  })),
};
