import type { ServerResponse } from 'node:http';
import { writeJson } from '../service/json.ts';
import { json, problem } from '../service/library.ts';
import type { OperationId } from '../service/routes.ts';
import type { Bug, Bugs, Received, Reply } from '../service/variant.ts';

const FAILED = problem(500, 'The service failed');

/** Few requests are enough for what concerns no operation in particular. */
const SMALL = ['getStatus', 'exportCatalogue', 'sendFeedback', 'getShelf'] as const;

/** Answers requests of a kind, whatever they are about. */
const answers = (isMeant: (received: Received) => boolean, reply: Reply): Bug => ({
  names: [],
  where: SMALL,
  receives: (received) => (isMeant(received) ? reply : undefined),
});

/** Changes the replies to requests that name no operation. */
const elsewhere = (status: number, change: (reply: Reply, received: Received) => Reply): Bug => ({
  names: [],
  where: SMALL,
  replies: (reply, received) =>
    received.operation === undefined && reply.status === status ? change(reply, received) : reply,
});

/** Writes the accepting replies of an operation in its own way. */
const writes = (operation: OperationId, write: (response: ServerResponse, reply: Reply) => void): Bug => ({
  names: [operation],
  writes: (response, reply, received) => {
    if (received.operation !== operation || reply.status >= 400) return false;
    write(response, reply);
    return true;
  },
});

const raw = (response: ServerResponse, lines: readonly string[]): void => {
  response.socket?.write(lines.join('\r\n'));
};

/** Answers HEAD in its own way. */
const answersHead = (status: number, headers: Reply['headers']): Bug => ({
  names: [],
  where: SMALL,
  writes: (response, _, { method, path }) => {
    if (method !== 'HEAD' || path !== '/status') return false;
    response.writeHead(status, headers).end();
    return true;
  },
});

/** What goes wrong below the contract, in HTTP itself. */
export const HTTP_BUGS: Bugs = {
  'answers a method that is not declared': answers(
    ({ method, path }) =>
      path === '/catalogue' && method !== 'GET' && method !== 'OPTIONS' && method !== 'HEAD',
    json(200, {}),
  ),
  'fails on a method that is not declared': answers(
    ({ method, path }) =>
      path === '/feedback' && method !== 'POST' && method !== 'OPTIONS' && method !== 'HEAD',
    FAILED,
  ),
  'says 405 without Allow': elsewhere(405, () => problem(405, 'The path has no such method')),
  'allows the method that it refuses': elsewhere(405, (reply, { method }) => ({
    ...reply,
    headers: { ...reply.headers, Allow: `${reply.headers.Allow}, ${method}` },
  })),
  'echoes a TRACE': answers(({ method }) => method === 'TRACE', {
    status: 200,
    headers: { 'Content-Type': 'message/http' },
    raw: 'TRACE / HTTP/1.1\r\nAuthorization: Bearer secret\r\n',
  }),
  'answers 200 for unknown paths': elsewhere(404, () => ({
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    raw: '<title>Library</title>',
  })),
  'fails on unknown paths': elsewhere(404, () => FAILED),
  'fails on a slash at the end': answers(({ path }) => path.length > 1 && path.endsWith('/'), FAILED),
  'fails on HEAD': answers(({ method, path }) => method === 'HEAD' && path === '/status', FAILED),
  'answers HEAD with a body': {
    names: [],
    where: SMALL,
    writes: (response, _, { method, path }) => {
      if (method !== 'HEAD' || path !== '/status') return false;
      raw(response, ['HTTP/1.1 200 OK', 'Content-Type: text/plain', 'Content-Length: 5', '', 'hello']);
      return true;
    },
  },
  'says that GET has no body when it is asked with HEAD': answersHead(200, { 'Content-Length': '0' }),
  'has another media type for HEAD': answersHead(200, { 'Content-Type': 'text/plain' }),
  'has another status for HEAD': answersHead(204, {}),
  'fails on OPTIONS': answers(({ method }) => method === 'OPTIONS', FAILED),
  'fails on an Accept that it cannot serve': answers(
    ({ headers, operation }) => operation === 'getStatus' && !/json|\*\/\*|^$/.test(headers.accept ?? ''),
    FAILED,
  ),
  'fails on a body in chunks': answers(
    ({ headers, operation }) => operation === 'sendFeedback' && headers['transfer-encoding'] !== undefined,
    FAILED,
  ),
  ...Object.fromEntries(
    [400, 422, 501].map((status) => [
      `refuses a body in chunks with ${status}`,
      answers(
        ({ headers, operation }) =>
          operation === 'sendFeedback' && headers['transfer-encoding'] !== undefined,
        problem(status, 'Where is the body?'),
      ),
    ]),
  ),
  'never answers': writes('sendFeedback', () => {}),
  'cuts its reply off': writes('createBook', (response, { status, headers, body }) => {
    const text = writeJson(body ?? null);
    response.writeHead(status, { ...headers, 'Content-Length': text.length + 1000 });
    response.write(text, () => response.destroy());
  }),
  'never ends its reply': writes('exportCatalogue', (response, { status, headers }) => {
    response.writeHead(status, headers);
    response.write('id,title');
    const timer = setInterval(() => response.write('\r\n1,a'), 10);
    response.on('close', () => clearInterval(timer));
  }),
  'resets the connection': writes('putShelf', (response) => response.socket?.resetAndDestroy()),
  'says that its reply is shorter than it is': writes('getStatus', (response, { body }) => {
    const text = writeJson(body ?? null);
    raw(response, [
      'HTTP/1.1 200 OK',
      'Content-Type: application/json',
      `Content-Length: ${text.length - 5}`,
      '',
      text,
    ]);
  }),
  'sends a body with 204': writes('deleteBook', (response) => {
    raw(response, [
      'HTTP/1.1 204 No Content',
      'Content-Type: application/json',
      'Content-Length: 2',
      '',
      '{}',
    ]);
  }),
  'says gzip and sends plain text': {
    names: ['getStatus'],
    replies: (reply, { operation }) =>
      operation === 'getStatus'
        ? { ...reply, headers: { ...reply.headers, 'Content-Encoding': 'gzip' } }
        : reply,
  },
};
