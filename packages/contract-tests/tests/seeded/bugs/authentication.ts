import { readJson } from '../service/json.ts';
import { store } from '../service/library.ts';
import type { OperationId } from '../service/routes.ts';
import { DESK_KEY, TOKEN } from '../service/server.ts';
import type { Bug, Bugs, Received } from '../service/variant.ts';

/** An operation lets more requests in than it should. */
const open = (operation: OperationId, admits: (received: Received) => boolean): Bug => ({
  names: [operation],
  admits: (received, right) => right || (received.operation === operation && admits(received)),
});

/** The scheme and the token of a request. */
const tokenOf = ({ headers }: Received) => {
  const [, scheme = '', token = ''] = /^(\S*) ?(.*)$/.exec(headers.authorization ?? '') ?? [];
  return { isBearer: scheme.toLowerCase() === 'bearer', token };
};

const bearer = (operation: OperationId, isGood: (token: string) => boolean): Bug =>
  open(operation, (received) => tokenOf(received).isBearer && isGood(tokenOf(received).token));

/** Does something although it answers 401. */
const effect = (
  operation: OperationId,
  does: NonNullable<Bug['replies']>,
  shownBy: readonly OperationId[] = [],
): Bug => ({
  names: [operation, ...shownBy],
  replies: (reply, received, library) =>
    reply.status === 401 && received.operation === operation ? does(reply, received, library) : reply,
});

/** Holes in authentication. */
export const AUTHENTICATION_BUGS: Bugs = {
  'protects no loan': open('getLoan', () => true),
  'protects reads alone': {
    names: ['openLoan', 'putShelf', 'sendFeedback'],
    where: ['openLoan', 'putShelf', 'sendFeedback'],
    admits: ({ method }, right) => right || method !== 'GET',
  },
  'takes requests without credentials, but no wrong ones': open(
    'listBooks',
    ({ headers }) => headers.authorization === undefined,
  ),
  'takes any token': bearer('createBook', (token) => token !== ''),
  'takes an empty token': open('listReviews', ({ headers }) =>
    /^bearer *$/i.test(headers.authorization ?? ''),
  ),
  'takes the start of a token': bearer('openLoan', (token) => token !== '' && TOKEN.startsWith(token)),
  'takes a token with more behind it': bearer('openLoan', (token) => token.startsWith(TOKEN)),
  'takes a token in any case': bearer('putShelf', (token) => token.toLowerCase() === TOKEN.toLowerCase()),
  'takes any scheme': open('getShelf', (received) => tokenOf(received).token === TOKEN),
  'takes a token without a scheme': open('getShelf', ({ headers }) => headers.authorization === TOKEN),
  'takes the key of the desk for a token': bearer('deleteBook', (token) => token === DESK_KEY),
  'takes a token for the key of the desk': open(
    'exportCatalogue',
    ({ headers }) => headers['x-desk-key'] === TOKEN,
  ),
  'takes any key of the desk': open('exportCatalogue', ({ headers }) => headers['x-desk-key'] !== undefined),
  'takes the key of the desk in the query': open('exportCatalogue', ({ query }) => query.includes(DESK_KEY)),
  'takes a token in the query': open('listBooks', ({ query }) => query.includes(TOKEN)),
  'closes a loan without the key of the desk': bearer('closeLoan', (token) => token === TOKEN),
  'closes a loan without a token': open('closeLoan', ({ headers }) => headers['x-desk-key'] === DESK_KEY),
  'closes a loan with a wrong key of the desk': open(
    'closeLoan',
    (received) => tokenOf(received).token === TOKEN && received.headers['x-desk-key'] !== undefined,
  ),
  'leaves out WWW-Authenticate': effect(
    'listBooks',
    ({ headers: { 'WWW-Authenticate': _, ...headers }, ...reply }) => ({
      ...reply,
      headers,
    }),
  ),
  'deletes a book although it answers 401': effect(
    'deleteBook',
    (reply, { segments }, { books }) => {
      if (/^\d+$/.test(segments.bookId ?? '')) books.delete(BigInt(segments.bookId ?? '0'));
      return reply;
    },
    ['getBook'],
  ),
  'stores a book although it answers 401': effect(
    'createBook',
    (reply, { body }, library) => {
      store(library, readJson(body.toString()));
      return reply;
    },
    ['listBooks'],
  ),
};
