import { once } from 'node:events';
import { createServer, type RequestListener, type ServerOptions } from 'node:http';

/** Answers requests on a free port of this machine, until it is closed with all its connections. */
export const serve = async (answer: RequestListener, options: ServerOptions = {}) => {
  const server = createServer(options, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
