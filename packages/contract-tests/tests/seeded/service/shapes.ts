import {
  anything,
  boolean,
  type Checker,
  choice,
  int32,
  int64,
  integer,
  list,
  nullable,
  number,
  object,
  text,
} from './checks.ts';
import { isDate, isDateTime, isEmail, isUri, isUuid } from './formats.ts';
import { isMembers } from './json.ts';

const genre = choice('novel', 'poetry', 'science', 'travel');
const title = text({ min: 1, max: 60 });
const pages = integer({ min: 1, max: 20000 });
const isbn = text({ pattern: /^97[89]-[0-9]{1,5}-[0-9]{3,6}$/ });
const published = text({ format: isDate });

/** How many digits a number has after the point at most; of doubles the shortest text counts. */
const hasDecimals = (count: number) => (value: unknown) =>
  typeof value !== 'number' ||
  (/^\d+(\.\d+)?$/.test(String(value)) === true && (String(value).split('.')[1] ?? '').length <= count);

const book = object({
  required: ['title', 'genre', 'pages'],
  members: {
    title,
    genre,
    pages,
    subtitle: nullable(text({ max: 100 })),
    isbn,
    language: text({ pattern: /^[a-z]{2}(-[A-Z]{2})?$/ }),
    price: number({ min: 0, below: 10000, multipleOf: hasDecimals(2) }),
    copies: int32(),
    barcode: int64(),
    published,
    acquired: text({ format: isDateTime }),
    website: text({ format: isUri }),
    tags: list(text({ min: 1, max: 20 }), { max: 5, unique: true }),
    authors: list(
      object({
        required: ['name'],
        members: { name: text({ min: 1, max: 40 }), born: integer({ min: 0, max: 2100 }) },
      }),
      { min: 1, unique: true },
    ),
    dimensions: object({
      required: ['width', 'height'],
      members: { width: number({ above: 0, max: 500 }), height: number({ above: 0, max: 500 }) },
    }),
  },
});

const patch = object({
  members: { title, genre, pages, isbn: nullable(isbn), published: nullable(published) },
  more: [['minProperties', (value) => !isMembers(value) || Object.keys(value).length >= 1]],
});

const review = object({
  required: ['reviewer', 'stars'],
  members: {
    reviewer: text({ min: 1, max: 30 }),
    stars: integer({ min: 1, max: 5 }),
    text: nullable(text({ max: 500 })),
  },
});

const reader = text({ min: 1, max: 50 });

const home = object({
  required: ['kind', 'reader', 'due'],
  members: {
    kind: choice('home'),
    reader,
    due: text({ format: isDate }),
    deposit: number({ min: 0 }),
    currency: choice('EUR', 'GBP', 'USD'),
    attributes: object({
      members: {},
      others: text({ max: 10 }),
      more: [
        ['maxProperties', (value) => !isMembers(value) || Object.keys(value).length <= 3],
        [
          'propertyNames',
          (value) => !isMembers(value) || Object.keys(value).every((name) => /^[a-z_]+$/.test(name)),
        ],
      ],
    }),
  },
  more: [
    [
      'dependentRequired',
      (value) => !isMembers(value) || !Object.hasOwn(value, 'deposit') || Object.hasOwn(value, 'currency'),
    ],
  ],
});

const room = object({
  required: ['kind', 'reader', 'seat', 'from'],
  members: {
    kind: choice('room'),
    reader,
    seat: integer({ min: 1, max: 120 }),
    from: text({ format: isDateTime }),
    card: text({ format: isUuid }),
  },
});

const loan: Checker = (value, at, other) => {
  if (isMembers(value) && value.kind === 'room') return room(value, 'room', other);
  if (isMembers(value) && value.kind === 'home') return home(value, 'home', other);
  return other[`${at}.discriminator`]?.(value) ? undefined : `${at}.discriminator`;
};

const shelf = object({
  required: ['capacity'],
  others: anything,
  members: {
    // The service sets these two itself, and ignores them in requests.
    code: anything,
    updatedAt: anything,
    capacity: integer({ min: 0, max: 500 }),
    room: choice('cellar', 'hall', 'attic'),
    note: nullable(text({ max: 80 })),
    labels: object({ members: {}, others: anything }),
    pin: text({ pattern: /^[0-9]{4}$/ }),
  },
});

const feedback = object({
  required: ['topic', 'message'],
  members: {
    topic: choice('praise', 'blame', 'idea'),
    message: text({ min: 1, max: 200 }),
    stars: integer({ min: 1, max: 5 }),
    contact: text({ format: isEmail }),
    labels: list(text({ pattern: /^[a-z]+$/ }), { min: 1, max: 3 }),
  },
});

/** The checks of each operation's body; names of checks start with these names. */
export const BODIES = { book, patch, review, loan, shelf, feedback };

/** The checks of each parameter. */
export const PARAMETERS: Readonly<Record<string, Checker>> = {
  limit: integer({ min: 1, max: 100 }),
  offset: int32({ min: 0 }),
  genre,
  bookId: int64({ min: 1 }),
  loanId: text({ format: isUuid }),
  code: text({ pattern: /^[A-Z]{2}-[0-9]{3}$/ }),
  genres: list(genre, { min: 1, max: 3, unique: true }),
  years: list(integer({ min: 1000, max: 2100 }), { min: 1, max: 4 }),
  span: object({ required: ['from'], members: { from: integer({ min: 0 }), to: integer({ min: 0 }) } }),
  q: text({ min: 1, max: 40 }),
  ids: list(int64(), { min: 1, max: 5 }),
  languages: list(text({ pattern: /^[a-z]{2}$/ }), { min: 1, max: 4 }),
  sizes: list(integer({ min: 1, max: 99 }), { min: 1, max: 4, unique: true }),
  moods: list(choice('bright', 'calm', 'dark'), { min: 1, max: 2 }),
  filter: object({
    required: ['signed'],
    members: { signed: boolean, minPrice: number({ min: 0 }), after: text({ format: isDate }) },
  }),
  point: object({ required: ['x', 'y'], members: { x: int32(), y: int32() } }),
  window: object({ required: ['size'], members: { size: integer({ min: 1, max: 50 }) } }),
  maxPrice: number({ above: 0 }),
  available: boolean,
  sort: choice('title', 'pages', 'newest'),
  'X-Request-Id': text({ format: isUuid }),
  'X-Depth': integer({ min: 1, max: 5 }),
  reader: text({ pattern: /^[a-f0-9]{8}$/ }),
  since: text({ format: isDateTime }),
};
