import { writeJson } from '../service/json.ts';
import { membersOf, problem } from '../service/library.ts';
import type { Variants } from '../service/variant.ts';
import { instead } from './instead.ts';

const isInt64 = (text: string): boolean =>
  /^[1-9]\d*$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

/** How a service may refuse. */
export const REFUSAL_MANNERS: Variants = {
  'refuses wrong credentials with a declared 403': instead(401, (reply, { operation, headers }) =>
    headers.authorization && /Loan/.test(operation ?? '') ? problem(403, 'Not for you') : reply,
  ),
  'says more about wrong tokens': instead(401, (reply) => ({
    ...reply,
    headers: { ...reply.headers, 'WWW-Authenticate': 'Bearer realm="library", error="invalid_token"' },
  })),
  'answers 404 for an id that cannot be': instead(400, (reply, { segments: { bookId } }) =>
    bookId !== undefined && !isInt64(bookId) ? problem(404, 'There is no such book') : reply,
  ),
  'looks a book up before it reads the body': {
    looksUp: ({ parameters: { bookId } }, { books }) =>
      typeof bookId === 'bigint' && !books.has(bookId) ? problem(404, 'There is no such book') : undefined,
  },
  'says 422 where it may': instead(400, (reply, { operation }) =>
    operation === 'createBook' || operation === 'openLoan' ? problem(422, 'Not like this') : reply,
  ),
  'refuses a media type with 400': instead(415, () => problem(400, 'Unknown media type')),
  'refuses unknown query parameters': {
    receives: ({ operation, query }) =>
      operation === 'listBooks' && query.split('&').some((pair) => !/^(limit|offset|genre)=|^$/.test(pair))
        ? problem(400, 'Unknown parameter')
        : undefined,
  },
  'refuses U+0000': { refuses: ({ sent, parameters }) => writeJson([sent, parameters]).includes('\\u0000') },
  'refuses large bodies': {
    receives: ({ operation, body }) =>
      (operation === 'createBook' || operation === 'putShelf') && body.length > 8192
        ? problem(413, 'Too large')
        : undefined,
  },
  'refuses members that only it may write': {
    refuses: ({ operation, sent }) =>
      operation === 'putShelf' && ['code', 'updatedAt'].some((name) => Object.hasOwn(membersOf(sent), name)),
  },
};
