import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose target can be changed, as a failover does. */
export interface TcpProxy {
  readonly port: number;
  /** Closes every connection. New ones go to another port of this machine. */
  switchTo(port: number): void;
  close(): void;
}

/** Starts a proxy in front of a port. */
export const startTcpProxy = async (first: number): Promise<TcpProxy> => {
  const sockets = new Set<Socket>();
  let target = first;

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}); // the other side may be gone
    socket.on('close', () => sockets.delete(socket));
  };
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    keep(near);
    keep(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port for the proxy');
  return {
    port: address.port,
    switchTo(port) {
      target = port;
      endAll();
    },
    close() {
      server.close();
      endAll();
    },
  };
};
