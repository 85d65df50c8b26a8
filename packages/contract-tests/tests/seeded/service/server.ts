import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serve } from '../../serve.ts';
import type { Checker } from './checks.ts';
import { readJson, type Value, writeJson } from './json.ts';
import { createHandlers, createLibrary, problem } from './library.ts';
import { readForm, readParameters } from './parameters.ts';
import { type OperationId, route } from './routes.ts';
import { BODIES, PARAMETERS } from './shapes.ts';
import type { Call, Handlers, Library, Received, Reply, Variant } from './variant.ts';

/** The bearer token of the service. */
export const TOKEN = 'Library-Token-4711';

/** The key of the service's desk. */
export const DESK_KEY = 'Desk-Key-0815';

interface Accepts {
  readonly name: string;
  readonly body: Checker;
  readonly type: string;
  readonly read: (text: string) => Value;
}

const JSON_BODY = { type: 'application/json', read: readJson };

const ACCEPTS: Readonly<Partial<Record<OperationId, Accepts>>> = {
  createBook: { name: 'book', body: BODIES.book, ...JSON_BODY },
  updateBook: { name: 'patch', body: BODIES.patch, type: 'application/merge-patch+json', read: readJson },
  addReview: { name: 'review', body: BODIES.review, ...JSON_BODY },
  openLoan: { name: 'loan', body: BODIES.loan, ...JSON_BODY },
  putShelf: { name: 'shelf', body: BODIES.shelf, ...JSON_BODY },
  sendFeedback: {
    name: 'feedback',
    body: BODIES.feedback,
    type: 'application/x-www-form-urlencoded',
    read: readForm,
  },
};

/** Whether a request has the credentials that its operation asks for. */
const isAdmitted = (operation: OperationId, { headers }: Received): boolean => {
  const [, token] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const bearer = token === TOKEN;
  const key = headers['x-desk-key'] === DESK_KEY;
  if (operation === 'getStatus') return true;
  if (operation === 'closeLoan') return bearer && key;
  return operation === 'exportCatalogue' ? bearer || key : bearer;
};

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The rejection before the handler is called, or the arguments of the handler. */
const examine = (
  operation: OperationId,
  received: Received,
  variant: Variant,
  library: Library,
): Reply | Call => {
  const { checks = {} } = variant;
  const right = isAdmitted(operation, received);
  if (!(variant.admits?.(received, right) ?? right))
    return problem(401, 'The credentials are missing or wrong', { 'WWW-Authenticate': 'Bearer' });
  let read: ReturnType<typeof readParameters>;
  try {
    read = readParameters(operation, received);
  } catch {
    return problem(400, 'The address is malformed');
  }
  const { parameters, missing } = read;
  const gone = missing.find((name) => !checks[`${name}.required`]);
  if (gone) return problem(400, `${gone} is missing`);
  for (const [name, value] of Object.entries(parameters)) {
    const broken = PARAMETERS[name]?.(value, name, checks);
    if (broken) return problem(400, broken);
  }
  const early = variant.looksUp?.({ ...received, parameters, sent: null }, library);
  if (early) return early;
  const accepts = ACCEPTS[operation];
  if (!accepts) return { ...received, parameters, sent: null };
  const type = received.headers['content-type'] ?? '';
  const isType =
    checks[`${accepts.name}.mediaType`]?.(type) ?? type.split(';')[0]?.trim().toLowerCase() === accepts.type;
  if (!isType && (received.body.length > 0 || type !== ''))
    return problem(415, 'This media type is not taken');
  let sent: Value;
  try {
    sent = accepts.read(UTF8.decode(received.body));
  } catch {
    return problem(400, 'The body is malformed');
  }
  const broken = accepts.body(sent, accepts.name, checks);
  return broken ? problem(400, broken) : { ...received, parameters, sent };
};

const answer = (
  received: Received,
  methods: readonly string[],
  handlers: Handlers,
  variant: Variant,
  library: Library,
): Reply => {
  const { operation } = received;
  const early = variant.receives?.(received);
  if (early) return early;
  if (methods.length === 0) return problem(404, 'There is no such path');
  if (!operation) return problem(405, 'The path has no such method', { Allow: methods.join(', ') });
  const call = examine(operation, received, variant, library);
  if ('status' in call) return call;
  if (variant.crashes?.(call)) return problem(500, 'The service failed');
  if (variant.refuses?.(call)) return problem(400, 'The service does not like this');
  return handlers[operation](call);
};

const write = (response: ServerResponse, { status, headers, body, raw }: Reply): void => {
  const bytes = Buffer.from(raw ?? (body === undefined ? '' : writeJson(body)));
  response.writeHead(status, status === 204 ? headers : { 'Content-Length': bytes.length, ...headers });
  response.end(bytes);
};

/** Starts the service, or a variant of it, on a free port. */
export const startLibrary = (variant: Variant = {}) => {
  const library = createLibrary();
  const right = createHandlers(library);
  const handlers = { ...right, ...variant.handlers?.(right, library) };
  let index = 0;
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const [path = '', query = ''] = url.split(/\?(.*)/s);
    const { operation, segments, methods } = route(method, path);
    const body = await buffer(request);
    const received = { method, path, query, headers, body, index, operation, segments };
    index += 1;
    const first = answer(received, methods, handlers, variant, library);
    const last = variant.replies?.(first, received, library) ?? first;
    if (!variant.writes?.(response, last, received)) write(response, last);
  };
  return serve((request, response) => {
    // A client may go away at any time.
    reply(request, response).catch(() => response.destroy());
  });
};
