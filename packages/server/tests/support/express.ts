import { once } from 'node:events';
import type { Express } from 'express';

/** Serves Express apps as their own authors would, until the test is over. */
export const expressServers = () => {
  const closes: (() => void)[] = [];
  afterEach(() => {
    for (const close of closes.splice(0)) close();
  });
  return async (app: Express): Promise<string> => {
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closes.push(() => server.close().closeAllConnections());
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address?.port}`;
  };
};
