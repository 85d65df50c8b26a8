import { Readable } from 'node:stream';
import { type ContractOptions, type ContractReply, createContract } from '@trellis/contract';
import type { Document } from '@trellis/openapi';

/** Handlers of any document, by operationId. */
export type Handlers = Parameters<typeof createContract>[1];

/** A request, as fetch has it. A body in pieces has no length. */
export interface Sent {
  readonly method?: string;
  /** By name in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | undefined;
  readonly id?: string;
}

async function* toBytes(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

const toResponse = (method: string, { status, headers, body }: ContractReply): Response => {
  const fields = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  const isWhole = typeof body === 'string' || body instanceof Uint8Array;
  const content = isWhole ? Buffer.from(body) : Readable.toWeb(Readable.from(toBytes(body)));
  const hasBody = method !== 'HEAD' && ![204, 205, 304].includes(status);
  return new Response(hasBody ? content : null, { status, headers: fields });
};

/** Serves a contract as an adapter does, without a socket. Replies are checked; errors and warnings are kept. */
export const serve = async (document: Document, handlers: Handlers, options: ContractOptions = {}) => {
  const errors: unknown[] = [];
  const warnings: (readonly unknown[])[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (...line: readonly unknown[]) => void warnings.push(line),
    error: (line: unknown) => void errors.push(Object(line).err),
  };
  const contract = await createContract(document, handlers, { checkReplies: true, log, ...options });
  const send = async (
    url: string,
    { method = 'GET', headers = {}, body, id }: Sent = {},
  ): Promise<Response> => {
    const whole = typeof body === 'string' || body instanceof Uint8Array;
    const pieces = whole ? [Buffer.from(body)] : body;
    const reply = await contract({
      method,
      url,
      id,
      headers: { ...(whole && { 'content-length': `${Buffer.byteLength(body)}` }), ...headers },
      body: pieces && Readable.from(pieces, { objectMode: false }),
    });
    return toResponse(method, reply);
  };
  return { send, errors, warnings };
};

/** The status and the parsed body of a reply, for one assertion on both. */
export const read = async (reply: Promise<Response> | Response) => {
  const response = await reply;
  const body: unknown = await response.json();
  return { status: response.status, body };
};
