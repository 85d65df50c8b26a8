import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** One address for servers that take turns, as a failover gives them. */
export interface Switchboard {
  readonly port: number;
  /** Ends every connection; new ones go to another port of this machine. */
  switchTo(port: number): void;
  close(): void;
}

/** Opens a switchboard in front of a port. */
export const openSwitchboard = async (first: number): Promise<Switchboard> => {
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
  if (typeof address !== 'object' || !address) throw new Error('no port for the switchboard');
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
