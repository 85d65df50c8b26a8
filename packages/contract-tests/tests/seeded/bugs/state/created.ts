import type { Members, Value } from '../../service/json.ts';
import { bookIdOf, json, membersOf, problem } from '../../service/library.ts';
import type { Bug, Bugs } from '../../service/variant.ts';
import { bug } from './bug.ts';

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

/** Bugs in creating a thing. */
export const CREATED_BUGS: Bugs = {
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
  'sends a Location that does not exist': bug(['openLoan', 'getLoan'], ({ openLoan }) => ({
    openLoan: (call) => ({
      ...openLoan(call),
      headers: {
        'Content-Type': 'application/json',
        Location: '/loans/0b57ac1e-ffff-4000-8000-000000000000',
      },
    }),
  })),
};
