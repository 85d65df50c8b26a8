import type { Check } from '../service/checks.ts';
import { isList, isMembers, type Value } from '../service/json.ts';
import type { OperationId } from '../service/routes.ts';
import type { Bug, Bugs } from '../service/variant.ts';

const ANY: Check = () => true;

/** One check of an operation is another one, or none at all. */
const lax = (operation: OperationId, name: string, check: Check = ANY): Bug => ({
  names: [operation],
  checks: { [name]: check },
});

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value !== 'string' || pattern.test(value);

const isTextOf =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'bigint' || (typeof value === 'string' && pattern.test(value));

const isOneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(String(value).toLowerCase());

const isDateForJavaScript: Check = (value) => !Number.isNaN(Date.parse(String(value)));
const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
const hasUniqueReferences: Check = (value) => !isList(value) || new Set(value).size === value.length;

/** Takes what the first letters of a value say. */
const hasFirst =
  (count: number, check: (value: Value) => boolean): Check =>
  (value) =>
    !isList(value) || value.slice(0, count).every(check);

/** What a service takes in a path, a query, a header or a cookie, although the contract forbids it. */
export const LAX_PARAMETER_BUGS: Bugs = {
  'takes a limit of 0': lax('listBooks', 'limit.minimum'),
  'takes a limit beyond the maximum': lax('listBooks', 'limit.maximum'),
  'takes a limit of 101': lax('listBooks', 'limit.maximum', (value) => Number(value) <= 101),
  'reads a limit with parseInt': lax('listBooks', 'limit.type', isTextOf(/^\s*[+-]?\d/)),
  'reads a limit with Number': lax('listBooks', 'limit.type', (value) => Number.isInteger(Number(value))),
  'takes an empty limit': lax('listBooks', 'limit.type', isTextOf(/^$/)),
  'takes a negative offset': lax('listBooks', 'offset.minimum'),
  'takes an offset beyond int32': lax('listBooks', 'offset.format'),
  'takes any genre': lax('listBooks', 'genre.enum'),
  'takes genres in upper case': lax(
    'listBooks',
    'genre.enum',
    isOneOf('novel', 'poetry', 'science', 'travel'),
  ),
  'takes a code that only starts right': lax('putShelf', 'code.pattern', matches(/^[A-Z]{2}-[0-9]{3}/)),
  'takes a code that only ends right': lax('putShelf', 'code.pattern', matches(/[A-Z]{2}-[0-9]{3}$/)),
  'takes a code that has a right line': lax('putShelf', 'code.pattern', matches(/^[A-Z]{2}-[0-9]{3}$/m)),
  'takes a code in lower case': lax('putShelf', 'code.pattern', matches(/^[A-Z]{2}-[0-9]{3}$/i)),
  'takes other genres after the first': lax('searchBooks', 'genres.items.enum'),
  'takes a genre twice in a path': lax('searchBooks', 'genres.uniqueItems'),
  'takes too many years': lax('searchBooks', 'years.maxItems'),
  'takes words for years': lax('searchBooks', 'years.items.type'),
  'takes a span without a start': lax('searchBooks', 'span.from.required'),
  'takes a search for nothing': lax('searchBooks', 'q.minLength'),
  'takes a search without a text': lax('searchBooks', 'q.required'),
  'takes a search text that is too long': lax('searchBooks', 'q.maxLength'),
  'takes ids beyond int64': lax('searchBooks', 'ids.items.format'),
  'takes too many ids': lax('searchBooks', 'ids.maxItems'),
  'takes languages in capitals': lax('searchBooks', 'languages.items.pattern', matches(/^[a-z]{2}$/i)),
  'takes sizes twice': lax('searchBooks', 'sizes.uniqueItems'),
  'takes sizes beyond the maximum': lax('searchBooks', 'sizes.items.maximum'),
  'takes unknown moods': lax('searchBooks', 'moods.items.enum'),
  'takes unknown members of a filter': lax('searchBooks', 'filter.additionalProperties'),
  'takes a filter without its required member': lax('searchBooks', 'filter.signed.required'),
  'takes yes for true in a filter': lax('searchBooks', 'filter.signed.type'),
  'takes any date in a filter': lax('searchBooks', 'filter.after.format'),
  'takes half a point': lax('searchBooks', 'point.y.required'),
  'takes a window that is too large': lax('searchBooks', 'window.size.maximum'),
  'takes a price of 0': lax('searchBooks', 'maxPrice.exclusiveMinimum', (value) => Number(value) >= 0),
  'takes 1 and yes for true': lax('searchBooks', 'available.type', ANY),
  'takes a search without its header': lax('searchBooks', 'X-Depth.required'),
  'takes any number in a header': lax('searchBooks', 'X-Depth.maximum'),
  'takes any request id': lax('searchBooks', 'X-Request-Id.format'),
  'takes any cookie': lax('searchBooks', 'reader.pattern'),
  'takes a time without an offset': lax('exportCatalogue', 'since.format', isDateForJavaScript),
};

/** What a service takes in a body, although the contract forbids it. */
export const LAX_BODY_BUGS: Bugs = {
  'takes an empty title': lax('createBook', 'book.title.minLength'),
  'takes a title that is too long': lax('createBook', 'book.title.maxLength'),
  'takes null for a title': lax('createBook', 'book.title.type', isTextOrNull),
  'takes a book without a genre': lax('createBook', 'book.genre.required'),
  'takes half a page': lax('createBook', 'book.pages.type', (value) => Number.isFinite(Number(value))),
  'takes pages as text': lax('createBook', 'book.pages.type', isTextOf(/^\d+$/)),
  'takes a page more than the maximum': lax(
    'createBook',
    'book.pages.maximum',
    (value) => Number(value) <= 20001,
  ),
  'takes a book without pages to it': lax('createBook', 'book.pages.minimum', (value) => Number(value) >= 0),
  'takes a price at its exclusive maximum': lax(
    'createBook',
    'book.price.exclusiveMaximum',
    (value) => Number(value) <= 10000,
  ),
  'takes thousandths in a price': lax('createBook', 'book.price.multipleOf'),
  'takes copies beyond int32': lax('createBook', 'book.copies.format'),
  'takes barcodes beyond int64': lax('createBook', 'book.barcode.format'),
  'takes an ISBN that only starts right': lax(
    'createBook',
    'book.isbn.pattern',
    matches(/^97[89]-[0-9]{1,5}-[0-9]{3,6}/),
  ),
  'takes an ISBN that has a right line': lax(
    'createBook',
    'book.isbn.pattern',
    matches(/^97[89]-[0-9]{1,5}-[0-9]{3,6}$/m),
  ),
  'takes languages in any case': lax(
    'createBook',
    'book.language.pattern',
    matches(/^[a-z]{2}(-[A-Z]{2})?$/i),
  ),
  'takes every date that JavaScript reads': lax('createBook', 'book.published.format', isDateForJavaScript),
  'takes a date by its digits': lax('createBook', 'book.published.format', matches(/^\d{4}-\d\d-\d\d$/)),
  'takes a 31st of any month': lax(
    'createBook',
    'book.published.format',
    matches(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/),
  ),
  'takes a date for a time': lax('createBook', 'book.acquired.format', isDateForJavaScript),
  'takes any website': lax('createBook', 'book.website.format'),
  'takes a tag twice': lax('createBook', 'book.tags.uniqueItems'),
  'takes too many tags': lax('createBook', 'book.tags.maxItems'),
  'takes empty tags': lax('createBook', 'book.tags.items.minLength'),
  'takes null among tags': lax('createBook', 'book.tags.items.type', isTextOrNull),
  'takes one tag for a list': lax('createBook', 'book.tags.type'),
  'checks only the first two tags': {
    names: ['createBook'],
    checks: {
      'book.tags.type': hasFirst(2, (tag) => typeof tag === 'string' && [...tag].length <= 20),
      'book.tags.items.maxLength': ANY,
      'book.tags.items.type': ANY,
    },
  },
  'takes an author twice': lax('createBook', 'book.authors.uniqueItems', hasUniqueReferences),
  'takes no authors in a list of authors': lax('createBook', 'book.authors.minItems'),
  'takes authors without a name': lax('createBook', 'book.authors.items.name.required'),
  'takes unknown members of an author': lax('createBook', 'book.authors.items.additionalProperties'),
  'takes a width of 0': lax(
    'createBook',
    'book.dimensions.width.exclusiveMinimum',
    (value) => Number(value) >= 0,
  ),
  'takes dimensions without a height': lax('createBook', 'book.dimensions.height.required'),
  'takes unknown members of a book': lax('createBook', 'book.additionalProperties'),
  'takes a list for a book': lax('createBook', 'book.type', ANY),
  'takes a book in any media type': lax('createBook', 'book.mediaType'),
  'takes every media type that has json in it': lax('openLoan', 'loan.mediaType', (type) =>
    String(type).includes('json'),
  ),
  'takes an empty patch': lax('updateBook', 'patch.minProperties'),
  'takes unknown members of a patch': lax('updateBook', 'patch.additionalProperties'),
  'takes null for a title in a patch': lax('updateBook', 'patch.title.type', isTextOrNull),
  'takes any title in a patch': lax('updateBook', 'patch.title.maxLength'),
  'takes six stars': lax('addReview', 'review.stars.maximum'),
  'takes an unknown kind of loan': lax('openLoan', 'loan.discriminator'),
  'takes a room loan without a seat': lax('openLoan', 'room.seat.required'),
  'takes members of the other kind of loan': lax('openLoan', 'room.additionalProperties'),
  'takes a card that is no UUID': lax('openLoan', 'room.card.format'),
  'takes a deposit without a currency': lax('openLoan', 'home.dependentRequired'),
  'takes too many attributes': lax('openLoan', 'home.attributes.maxProperties'),
  'takes any name of an attribute': lax('openLoan', 'home.attributes.propertyNames'),
  'takes attributes that are too long': lax('openLoan', 'home.attributes.others.maxLength'),
  'takes a list of labels': lax(
    'putShelf',
    'shelf.labels.type',
    (value) => isMembers(value) || isList(value),
  ),
  'takes a pin of five digits': lax('putShelf', 'shelf.pin.pattern', matches(/[0-9]{4}/)),
  'takes a topic in capitals': lax('sendFeedback', 'feedback.topic.enum', isOneOf('praise', 'blame', 'idea')),
  'takes a form without a message': lax('sendFeedback', 'feedback.message.required'),
  'takes any contact': lax('sendFeedback', 'feedback.contact.format'),
  'takes unknown fields of a form': lax('sendFeedback', 'feedback.additionalProperties'),
};
