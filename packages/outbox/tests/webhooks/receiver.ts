import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request as it arrived. */
export interface Received extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  readonly body: string;
}

/**
 * Starts a receiver of webhooks over real HTTP. It keeps all requests, and answers 204 or by `answer`. Close it when
 * done.
 */
export const startReceiver = async (
  answer: (reply: ServerResponse, nth: number) => void = (reply) => reply.writeHead(204).end(),
) => {
  const received: Received[] = [];
  const serve: RequestListener = async (request, reply) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: (await buffer(request)).toString() });
    answer(reply, received.length);
  };
  const server = createServer(serve);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    received,
    port,
    url: `http://127.0.0.1:${port}/hooks`,
    connections: () => connections,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Closes the receivers of a test file after each test. */
export const receivers = () => {
  const open: Awaited<ReturnType<typeof startReceiver>>[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });
  return async (...given: Parameters<typeof startReceiver>) => {
    const receiver = await startReceiver(...given);
    open.push(receiver);
    return receiver;
  };
};
