import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { until } from '../../support/postgres/conditions.ts';
import { type Message, messageIn, messagesIn, numberIn, readMessage, textIn } from './protobuf.ts';

/** A span in the format of OTLP (opentelemetry/proto/trace/v1/trace.proto). */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a span without a parent. */
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  /** 1 internal, 2 server. */
  readonly kind: number;
  /** 0 unset, 1 ok, 2 error. */
  readonly status: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The attributes of the service. */
  readonly resource: Readonly<Record<string, string | number>>;
}

const attributesIn = (message: Message, field: number): SentSpan['attributes'] =>
  Object.fromEntries(
    messagesIn(message, field).map((pair) => {
      const value = messageIn(pair, 2);
      return [textIn(pair, 1), value.has(1) ? textIn(value, 1) : numberIn(value, 3)];
    }),
  );

const toSpan = (span: Message, resource: SentSpan['resource']): SentSpan => ({
  traceId: textIn(span, 1, 'hex'),
  spanId: textIn(span, 2, 'hex'),
  traceState: textIn(span, 3),
  parentId: textIn(span, 4, 'hex'),
  name: textIn(span, 5),
  kind: numberIn(span, 6),
  start: BigInt(String(span.get(7)?.[0])),
  end: BigInt(String(span.get(8)?.[0])),
  attributes: attributesIn(span, 9),
  status: numberIn(messageIn(span, 15), 3),
  resource,
});

const spansIn = (body: Buffer): SentSpan[] =>
  messagesIn(readMessage(body), 1).flatMap((ofResource) => {
    const resource = attributesIn(messageIn(ofResource, 1), 1);
    return messagesIn(ofResource, 2).flatMap((scope) =>
      messagesIn(scope, 2).map((span) => toSpan(span, resource)),
    );
  });

/** The address of a server that listens on a port of this machine. */
export const urlOf = (server: Server): string => {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
};

/** Starts a collector of traces: it takes OTLP over HTTP, as protobuf, and keeps all that it gets. */
export const startCollector = async () => {
  const requests: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];
  const spans: SentSpan[] = [];
  const server = createServer(async (request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    spans.push(...spansIn(await buffer(request)));
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: urlOf(server),
    requests,
    spans,
    /** Waits until the request of a trace has ended, and gives all spans of the trace: it is the last one to end. */
    traceOf: (traceId: string): Promise<SentSpan[]> =>
      until(`the spans of ${traceId}`, async () => {
        const trace = spans.filter((span) => span.traceId === traceId);
        return trace.some(({ kind }) => kind === 2) ? trace : undefined;
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

export type Collector = Awaited<ReturnType<typeof startCollector>>;
