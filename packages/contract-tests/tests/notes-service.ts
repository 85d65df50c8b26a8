import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { oncePerObject, ownMember, toJson, tryParseExact } from '@trellis/openapi/internal/json';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { run } from './run.ts';
import { serve } from './serve.ts';

const NOTE = {
  type: 'object',
  required: ['name'],
  properties: {
    id: { type: 'integer', readOnly: true },
    name: { type: 'string', maxLength: 40 },
    kind: { type: 'string', enum: ['big', 'small'] },
  },
  additionalProperties: false,
};

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const REF = { $ref: '#/components/schemas/Note' };
const REFUSED = { description: 'Refused', ...json({ type: 'object' }) };
const ONE = { description: 'The note', ...json(REF) };
const refusals = (...statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, REFUSED]));
const body = { required: true, ...json(REF) };

/** The operations of the contract, which a test may change. */
const operations = () => ({
  list: {
    operationId: 'listNotes',
    parameters: [] as object[],
    responses: {
      200: {
        description: 'All notes',
        ...json({
          type: 'object',
          required: ['items', 'total'],
          properties: { items: { type: 'array', items: REF }, total: { type: 'integer' } },
        }),
      },
      ...refusals(400),
    } as Record<string, object>,
  },
  create: {
    operationId: 'createNote',
    requestBody: body as object,
    responses: { 201: ONE, ...refusals(400, 415) } as Record<string, object>,
  },
  read: {
    operationId: 'readNote',
    responses: { 200: ONE, ...refusals(400, 404) } as Record<string, object>,
  },
  replace: {
    operationId: 'replaceNote',
    requestBody: body as object,
    responses: { 200: ONE, ...refusals(400, 404, 415) } as Record<string, object>,
  },
  remove: {
    operationId: 'deleteNote',
    responses: { 204: { description: 'Gone' }, ...refusals(400, 404) } as Record<string, object>,
  },
});

/** A request as the service gets it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly sent: string;
}

/** An answer; its body is sent as JSON. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Note = Readonly<Record<string, unknown>>;

/** How the service and its contract differ from the usual ones. */
export interface Manner {
  readonly collection?: string;
  readonly item?: string;
  /** More members of a note, which it must have. */
  readonly members?: object;
  readonly declares?: ((usual: ReturnType<typeof operations>) => void) | undefined;
  /** More of the document: paths beside those for notes. */
  readonly more?: { readonly paths?: object; readonly [name: string]: unknown };
  /** The notes that a list shows. */
  readonly lists?: ((notes: Note[], query: URLSearchParams) => Note[]) | undefined;
  /** Answers instead of the service; `right` computes the right answer. */
  readonly answers?:
    | ((received: Received, usual: () => Reply, notes: Map<string, Note>) => Reply)
    | undefined;
}

/** A refusal of the service. */
export const refuse = (status: number): Reply => ({ status, body: { message: 'no' } });

/** Creates a function that validates a request body. It shares no code with the tester. */
const createValidator = ({ schemas }: { readonly schemas: { readonly Note: typeof NOTE } }) => {
  const { id: _, ...properties } = schemas.Note.properties; // read only
  const components = { schemas: { ...schemas, Note: { ...schemas.Note, properties } } };
  const ajv = new Ajv2020({ strict: false });
  const compile = oncePerObject((schema: object) => ajv.compile({ ...schema, components }));
  return (schema: unknown, value: unknown): boolean => compile(Object(schema))(value) === true;
};

const documentOf = ({
  collection = '/notes',
  item = '/notes/{noteId}',
  members = {},
  declares,
  more = {},
}: Manner) => {
  const required = [...NOTE.required, ...Object.keys(members)];
  const note = { ...NOTE, required, properties: { ...NOTE.properties, ...members } };
  const usual = operations();
  declares?.(usual);
  const { list, create, read, replace, remove } = usual;
  const [, name = ''] = /\{(.*)\}/.exec(item) ?? [];
  const parameters = [{ name, in: 'path', required: true, schema: { type: 'integer' } }];
  const paths = {
    [collection]: { get: list, post: create },
    [item]: { parameters, get: read, put: replace, delete: remove },
    ...more.paths,
  };
  const components = { schemas: { Note: note }, ...Object(more.components) };
  return { openapi: '3.1.0', info: { title: 'Notes', version: '1' }, ...more, paths, components };
};

/** Starts a service that keeps notes as its contract says. */
export const startNotes = async (manner: Manner = {}) => {
  const { collection = '/notes', item = '/notes/{noteId}', lists = (all) => all, answers } = manner;
  const document = documentOf(manner);
  const declared = Object.entries(document.paths).flatMap(([path, each]) =>
    Object.entries(each).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const isValid = createValidator(document.components);
  const notes = new Map<string, Note>();
  let made = 0;

  const onNotes = ({ method, path, query, headers, sent }: Received): Reply => {
    const [, id] = new RegExp(`^${item.replace(/\{.*\}/, '([^/]+)')}$`).exec(path) ?? [];
    const template = path === collection ? collection : id === undefined ? undefined : item;
    const operation = declared.find((each) => each.path === template && each.method === method);
    if (!operation)
      return template === undefined
        ? refuse(404)
        : {
            ...refuse(405),
            headers: {
              Allow: declared
                .filter((each) => each.path === template)
                .map((each) => each.method)
                .join(),
            },
          };
    if (id !== undefined && !/^-?(?:0|[1-9]\d*)$/.test(id)) return refuse(400);
    const content = ownMember(ownMember(operation.operation, 'requestBody'), 'content');
    const value = tryParseExact(sent);
    if (content && !/^application\/json\b/i.test(headers['content-type'] ?? '')) return refuse(415);
    const schema = ownMember(ownMember(content, 'application/json'), 'schema');
    if (content && (value === undefined || !isValid(schema, JSON.parse(sent)))) return refuse(400);
    if (method === 'POST') {
      made += 1;
      const note = { ...Object(value), id: made };
      notes.set(`${made}`, note);
      return { status: 201, body: note, headers: { Location: `${collection.replace(/\/$/, '')}/${made}` } };
    }
    if (id === undefined) {
      const items = lists([...notes.values()], query);
      return { status: 200, body: { items, total: items.length } };
    }
    const note = notes.get(id);
    if (!note) return refuse(404);
    if (method === 'DELETE') return { status: notes.delete(id) ? 204 : 404 };
    if (method === 'PUT') notes.set(id, { ...Object(value), id: note.id });
    return { status: 200, body: notes.get(id) ?? null };
  };

  const { url, close } = await serve(async (request, response) => {
    const { method = '', url: target = '', headers } = request;
    const { pathname, searchParams } = new URL(target, 'http://notes');
    const received = { method, path: pathname, query: searchParams, headers, sent: await text(request) };
    const reply = answers?.(received, () => onNotes(received), notes) ?? onNotes(received);
    response.writeHead(reply.status, {
      ...(reply.body !== undefined && { 'Content-Type': 'application/json' }),
      ...reply.headers,
    });
    response.end(reply.body === undefined ? undefined : toJson(reply.body));
  });
  return { document, url, close };
};

/** Tests such a service. */
export const checkNotes = async (manner: Manner, phases: readonly string[] = [], requests = 20) => {
  const { document, url, close } = await startNotes(manner);
  const result = await run({
    spec: document,
    credentials: { token: 'a-token-for-notes' },
    requests,
    url,
    phases,
  });
  await close();
  return result;
};
