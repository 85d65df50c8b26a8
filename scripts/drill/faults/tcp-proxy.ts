import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Starts a TCP proxy in front of a port of this machine. Its target can be changed, as a failover does. */
export const startTcpProxy = async (first: number) => {
  const sockets = new Set<Socket>();
  let target = first;

  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const tie = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}); // the other side may be gone
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
    socket.pipe(other);
  };

  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    tie(near, far);
    tie(far, near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port for the proxy');
  return {
    port: address.port,
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
