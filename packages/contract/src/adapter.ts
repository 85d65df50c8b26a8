import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Share } from './body/budget.ts';
import { toBodySource } from './body/source.ts';
import type { ContractReply, ContractRequest } from './create-contract.ts';
import { closeUpload, type Exchange } from './exchange.ts';
import type { HandlerLog } from './incoming.ts';
import type { Refuse } from './reply/refusal/form.ts';
import type { WireReply } from './reply/replies.ts';
import { isStreamed, type StreamedPayload } from './reply/streams.ts';

const SILENT: HandlerLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates the exchange of a request of an adapter. */
export const toExchange = (
  request: ContractRequest,
  { share, refuse, log = SILENT }: { share: Share; refuse: Refuse; log?: HandlerLog | undefined },
): Exchange => {
  const { body, id = randomUUID(), address, signal = new AbortController().signal, raw } = request;
  const stream = body && (body instanceof Readable ? body : Readable.from(body, { objectMode: false }));
  return {
    request,
    raw,
    id,
    share,
    refuse,
    body: stream && toBodySource(stream.on('error', () => {})), // the reader of the body gets the error
    address: () => address,
    isProxied: () => false,
    accepts: ([first]) => first ?? false,
    openSignal: () => signal,
    openLog: () => log,
  };
};

/** Yields what a streamed reply sends. */
async function* writeAll({ source, write, end }: StreamedPayload): AsyncGenerator<string | Uint8Array> {
  for await (const item of source) yield write(item);
  if (end) yield end();
}

/** The reply for an adapter. The memory of the request is released: the adapter holds what remains. */
export const toReply = (exchange: Exchange, { status, headers, payload }: WireReply): ContractReply => {
  exchange.share.release();
  if (!isStreamed(payload)) closeUpload(exchange);
  return {
    status,
    headers: { ...headers, 'X-Request-Id': exchange.id },
    body: isStreamed(payload) ? writeAll(payload) : payload,
  };
};
