import { problem } from '../service/library.ts';
import { route } from '../service/routes.ts';
import type { Variant, Variants } from '../service/variant.ts';
import { instead } from './instead.ts';

const tooMany = (every: number, seconds: string): Variant => ({
  receives: ({ operation, index }) =>
    (operation === 'listBooks' || operation === 'getBook') && index % every === 0
      ? problem(429, 'Too many requests', { 'Retry-After': seconds })
      : undefined,
});

/** Correct ways to handle requests outside the contract. */
export const HTTP_MANNERS: Variants = {
  'allows methods in another order': instead(405, (reply) => ({
    ...reply,
    headers: {
      ...reply.headers,
      Allow: `OPTIONS,${(reply.headers.Allow ?? '').split(', ').reverse().join(',')}`,
    },
  })),
  'answers 404 for methods that it does not have': instead(405, () => problem(404, 'There is no such thing')),
  'refuses methods in plain text': instead(405, ({ headers: { Allow = '' } }) => ({
    status: 405,
    headers: { 'Content-Type': 'text/plain', Allow },
    raw: 'No',
  })),
  'does not know TRACE': {
    receives: ({ method }) => (method === 'TRACE' ? problem(501, 'What is TRACE?') : undefined),
  },
  'answers OPTIONS': {
    receives: ({ method, path }) => {
      const { methods } = route(method, path);
      return method === 'OPTIONS' && methods.length > 0
        ? { status: 204, headers: { Allow: [...methods, 'OPTIONS'].join(', ') } }
        : undefined;
    },
  },
  'answers HEAD': {
    writes: (response, _, { method, path }) => {
      if (method !== 'HEAD' || path !== '/status') return false;
      response.writeHead(200, { 'Content-Type': 'application/json' }).end();
      return true;
    },
  },
  'wants to know the length of a body': {
    receives: ({ headers }) =>
      headers['transfer-encoding'] === undefined ? undefined : problem(411, 'How long is it?'),
  },
  'wants credentials for unknown paths, too': {
    receives: ({ headers, path, operation }) =>
      operation === undefined && path !== '/status' && !headers.authorization
        ? problem(401, 'Who are you?', { 'WWW-Authenticate': 'Bearer' })
        : undefined,
  },
  'has a page for unknown paths': instead(404, (reply, { operation }) =>
    operation === undefined
      ? { status: 404, headers: { 'Content-Type': 'text/html' }, raw: '<h1>No</h1>' }
      : reply,
  ),
  'redirects from a slash at the end': {
    receives: ({ path }) =>
      /[^/]\/$/.test(path) ? { status: 308, headers: { Location: path.slice(0, -1) } } : undefined,
  },
  'has had enough now and then': tooMany(7, '0'),
  'wants a pause once in a while': tooMany(499, '1'),
};
