import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a database that can fall silent as a network does: nothing is refused, and nothing arrives. */
export const startProxy = async (databaseUrl: string) => {
  const { port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let silent = false;

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}); // the other side may be gone
    socket.on('close', () => sockets.delete(socket));
  };

  // Half open: who has been silenced does not answer an end with an end either.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    keep(near);
    if (silent) return;
    const far = connect(Number(port), '127.0.0.1');
    keep(far);
    near.pipe(far).pipe(near);
    far.on('close', () => silent || near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.port = typeof address === 'object' && address ? `${address.port}` : '';

  return {
    url: url.href,
    fallSilent(): void {
      silent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** From now on new connections reach the database; those that were silenced stay so. */
    speakAgain(): void {
      silent = false;
    },
    close(): void {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
