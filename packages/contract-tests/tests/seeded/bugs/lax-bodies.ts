import type { Check } from '../service/checks.ts';
import { isList, isMembers } from '../service/json.ts';
import type { Bugs } from '../service/variant.ts';
import { ANY, isDateForJavaScript, isLikeInteger, isOneOf, lax, matches } from './lax.ts';

const isTextOrNull: Check = (value) => value === null || typeof value === 'string';
const hasUniqueReferences: Check = (value) => !isList(value) || new Set(value).size === value.length;
const areTagsFirst: Check = (value) =>
  !isList(value) || value.slice(0, 2).every((tag) => typeof tag === 'string' && [...tag].length <= 20);

/** Services that accept bodies which the contract forbids. */
export const LAX_BODY_BUGS: Bugs = {
  'takes an empty title': lax('createBook', 'book.title.minLength'),
  'takes a title that is too long': lax('createBook', 'book.title.maxLength'),
  'takes null for a title': lax('createBook', 'book.title.type', isTextOrNull),
  'takes a book without a genre': lax('createBook', 'book.genre.required'),
  'takes half a page': lax('createBook', 'book.pages.type', (value) => Number.isFinite(Number(value))),
  'takes pages as text': lax('createBook', 'book.pages.type', isLikeInteger(/^\d+$/)),
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
      'book.tags.type': areTagsFirst,
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
