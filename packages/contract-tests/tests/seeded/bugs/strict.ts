import { isList, isMembers } from '../service/json.ts';
import { membersOf, problem } from '../service/library.ts';
import type { OperationId } from '../service/routes.ts';
import type { Bug, Bugs, Call } from '../service/variant.ts';

const strict = (operation: OperationId, refuses: (call: Call) => boolean): Bug => ({
  names: [operation],
  refuses: (call) => call.operation === operation && refuses(call),
});

/** Rejects a book by one of its members. */
const book = (name: string, refuses: (value: unknown) => boolean): Bug =>
  strict('createBook', ({ sent }) => refuses(membersOf(sent)[name]));

const isText = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value);

const KNOWN = ['code', 'capacity', 'room', 'note', 'labels', 'pin', 'updatedAt'];

/** Services that reject requests which the contract allows. */
export const STRICT_BUGS: Bugs = {
  'refuses a charset': {
    names: ['openLoan', 'putShelf', 'addReview'],
    where: ['openLoan', 'putShelf', 'addReview'],
    receives: ({ headers }) =>
      /json.*charset/i.test(headers['content-type'] ?? '') ? problem(415, 'No charsets here') : undefined,
  },
  'refuses a scheme in lower case': {
    names: [],
    where: ['listBooks', 'getShelf', 'sendFeedback'],
    admits: ({ headers }, right) => right && !(headers.authorization ?? '').startsWith('bearer'),
  },
  'refuses a book without a subtitle': book('subtitle', (value) => value === undefined),
  'refuses a subtitle that is null': book('subtitle', (value) => value === null),
  'refuses an empty subtitle': book('subtitle', (value) => value === ''),
  'refuses an empty list of tags': strict('createBook', ({ sent }) => {
    const { tags } = membersOf(sent);
    return isList(tags) && tags.length === 0;
  }),
  'refuses the most pages that there may be': book('pages', (value) => value === 20000n),
  'refuses the longest title': book(
    'title',
    (value) => typeof value === 'string' && [...value].length === 60,
  ),
  'counts UTF-16 units in a title': book('title', (value) => typeof value === 'string' && value.length > 60),
  'counts bytes in a reviewer': strict(
    'addReview',
    ({ sent }) => Buffer.byteLength(String(membersOf(sent).reviewer)) > 30,
  ),
  'refuses offsets in times': book('acquired', (value) => isText(value, /[+-]\d\d:\d\d$/)),
  'refuses fractions of a second': book('acquired', (value) => isText(value, /\./)),
  'refuses leap days': book('published', (value) => isText(value, /-02-29$/)),
  'refuses apostrophes': book('title', (value) => isText(value, /'/)),
  'refuses a language with a region': book('language', (value) => isText(value, /-/)),
  'refuses the largest int64': book('barcode', (value) => value === 2n ** 63n - 1n),
  'refuses negative copies': book('copies', (value) => typeof value === 'bigint' && value < 0n),
  'refuses unknown members of a shelf': strict('putShelf', ({ sent }) =>
    Object.keys(membersOf(sent)).some((name) => !KNOWN.includes(name)),
  ),
  'refuses a capacity of 0': strict('putShelf', ({ sent }) => membersOf(sent).capacity === 0n),
  'refuses labels with something in them': strict('putShelf', ({ sent }) => {
    const { labels } = membersOf(sent);
    return isMembers(labels) && Object.keys(labels).length > 0;
  }),
  'refuses the largest limit': strict('listBooks', ({ parameters }) => parameters.limit === 100n),
  'refuses a filter with an offset': strict(
    'listBooks',
    ({ parameters }) => parameters.genre !== undefined && parameters.offset !== undefined,
  ),
  'refuses one id in a list': strict(
    'searchBooks',
    ({ parameters: { ids } }) => isList(ids) && ids.length === 1,
  ),
  'refuses a card in upper case': strict('openLoan', ({ sent }) => isText(membersOf(sent).card, /[A-F]/)),
};
