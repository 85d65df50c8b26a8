import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that nobody uses at the moment, for programs that cannot let the system choose. */
export const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('the server has no port');
  return address.port;
};
