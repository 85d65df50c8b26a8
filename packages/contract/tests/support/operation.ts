import type { ContractOptions } from '@trellis/contract';
import { documentOf, json } from './documents.ts';
import { type Sent, serve } from './serve.ts';

/** A reply of a handler. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The decoded request that a handler gets. */
export interface Received {
  readonly path: object;
  readonly query: object;
  readonly header: object;
  readonly cookie: object;
  readonly body: unknown;
}

/** The error of a reply that refuses a request. */
const refusalOf = async (reply: Response): Promise<Error> => {
  const { error: code, message } = Object(await reply.json());
  return Object.assign(new Error(message), { status: reply.status, code });
};

/** An operation, as a document declares it. */
interface Declared {
  readonly responses?: object;
  readonly [member: string]: unknown;
}

const NO_CONTENT = { 204: { description: '' } };

/**
 * Serves one operation. `receive` sends a request, and returns the decoded request of the handler; it throws the refusal.
 * `reply` has the handler answer, and returns the reply; it throws the error in the log if a reply breaks the contract.
 */
export const serveOperation = async (
  { responses, ...operation }: Declared,
  {
    method = 'post',
    path = '/things',
    document = {},
    ...options
  }: ContractOptions & {
    readonly method?: string;
    readonly path?: string;
    /** Other members of the document. */
    readonly document?: object;
  } = {},
) => {
  const received: Received[] = [];
  let next: Reply = { status: 204 };
  const declared = { operationId: 'serveThing', ...operation, responses: { ...NO_CONTENT, ...responses } };
  const { send, errors } = await serve(
    await documentOf({ paths: { [path]: { [method]: declared } }, ...document }),
    {
      serveThing: async ({ path, query, header, cookie, body }: Received) => {
        received.push({ path, query, header, cookie, body });
        return next;
      },
    },
    { maxBodyBytes: 10_000_000, ...options },
  );
  const ask = async (target: string, sent: Sent, reply: Reply): Promise<Response> => {
    next = reply;
    const known = errors.length;
    const response = await send(target, { method: method.toUpperCase(), ...sent });
    if (errors.length > known) throw errors.at(-1);
    return response;
  };
  return {
    receive: async (target: string, sent: Sent = {}): Promise<Received> => {
      const count = received.length;
      const response = await ask(target, sent, { status: 204 });
      const last = received[count];
      if (!last) throw await refusalOf(response);
      return last;
    },
    reply: (reply: Reply, sent: Sent = {}) => ask(path, sent, reply),
  };
};

/** Decodes bodies of these media types, as a handler gets them. Throws the refusal. */
export const receiverFor = async (content: object, options: Parameters<typeof serveOperation>[1] = {}) => {
  const { receive } = await serveOperation({ requestBody: { required: true, content } }, options);
  return async (type: string, body: string | Uint8Array): Promise<unknown> =>
    (await receive('/things', { headers: { 'content-type': type }, body })).body;
};

/** Decodes bodies of a schema, however large. */
export const decoderFor = async (schema: unknown, schemas: object = {}) => {
  const receive = await receiverFor(json(schema).content, { document: { components: { schemas } } });
  return (body: string | Uint8Array) => receive('application/json', body);
};
