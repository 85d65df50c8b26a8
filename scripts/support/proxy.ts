import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Starts a proxy in front of a server on this machine. It can drop all traffic, or switch to another server.
 */
export const startProxy = async (serverUrl: string) => {
  const sockets = new Set<Socket>();
  let target = Number(new URL(serverUrl).port);
  let silent = false;

  const tie = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}); // the other side may be closed
    socket.on('close', () => {
      sockets.delete(socket);
      if (!silent) other.destroy();
    });
    if (!silent) socket.pipe(other);
  };
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  // Half open: a silenced side does not answer an end with an end either.
  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (silent) return tie(near, near);
    const far = connect(target, '127.0.0.1');
    tie(near, far);
    tie(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(serverUrl);
  url.port = typeof address === 'object' && address ? `${address.port}` : '';

  return {
    url: url.href,
    /** Nothing is refused from now on, and nothing arrives. */
    fallSilent(): void {
      silent = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** New connections reach the server again. Silenced ones stay silent. */
    speakAgain(): void {
      silent = false;
    },
    /** Closes every connection. New ones go to another port. */
    switchTo(port: number): void {
      target = port;
      endAll();
    },
    close(): void {
      server.close();
      endAll();
    },
  };
};
