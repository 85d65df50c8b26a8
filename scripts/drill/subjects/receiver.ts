import { once } from 'node:events';
import { createServer } from 'node:http';

/** Starts a receiver of webhooks, which remembers the id in the body of each. */
export const startReceiver = async () => {
  const received = new Set<string>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    received.add(/^\{"id":(-?\d+),/.exec(text)?.[1] ?? text);
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`, received, close };
};
