import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A received request. */
export interface Arrival extends Pick<IncomingMessage, 'headers'> {
  readonly method: string;
  readonly target: string;
  readonly body: Buffer;
}

/** The address of the receiver. */
export interface ReceiverPlace {
  /** A port of 127.0.0.1, or of all addresses if there is a URL; 0 picks a free port. */
  readonly port: number;
  /** The URL under which the service reaches this machine, if that is not 127.0.0.1. */
  readonly url?: string | undefined;
}

const MOST_BYTES = 16 * 1024 * 1024;

const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/**
 * Listens for webhooks and callbacks. Each is answered with 204, even if it is wrong: the service would repeat a rejected
 * one.
 */
export const openReceiver = async ({ port, url }: ReceiverPlace, take: (arrival: Arrival) => void) => {
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', headers } = request;
    const body = await readBody(request);
    if (body) take({ method, target, headers, body });
    reply.writeHead(body ? 204 : 413, body ? {} : { connection: 'close' }).end();
  };
  const server = createServer((request, reply) => {
    answer(request, reply).catch(() => reply.destroy()); // the service has hung up
  });
  server.listen(port, url === undefined ? '127.0.0.1' : undefined).unref();
  await once(server, 'listening');
  const address = server.address();
  return {
    url: url ?? `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`,
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};
