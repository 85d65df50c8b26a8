import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Connection } from './connection.ts';

/** How long a connection between two requests may still bring the next, once a stop has begun, in milliseconds. */
const LAST_CALL = 100;
const SWEEP_EVERY = 20;

/**
 * Stops accepting, and settles once what was accepted is answered, or `grace` milliseconds have passed. Every
 * answer says that the connection closes; one that brings nothing more is closed after a last call, not at once:
 * a request may be on its way to us, and would get no answer.
 */
export const stopServer = (
  server: Server,
  connections: ReadonlyMap<Socket, Connection>,
  grace: number,
): Promise<void> =>
  new Promise((resolve) => {
    /** The last answer of a connection says that it closes; to those before it that would be the end too early. */
    const markLast = ({ latest, before }: Connection): void => {
      if (before) before.shouldKeepAlive = true;
      if (latest) latest.shouldKeepAlive = false;
    };
    const sweep = (): void => {
      // To Node a connection is idle though its answer is still leaving us.
      for (const { writableLength } of connections.keys()) if (writableLength > 0) return;
      server.closeIdleConnections();
      // To Node a connection that has sent nothing is not idle, but busy with a header.
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    };
    for (const asked of ['request', 'checkContinue', 'checkExpectation'])
      server.prependListener(asked, ({ socket }: IncomingMessage) => {
        const connection = connections.get(socket);
        if (connection) markLast(connection);
      });
    for (const connection of connections.values()) markLast(connection);

    let sweeper: NodeJS.Timeout | undefined;
    const lastCall = setTimeout(() => {
      sweep();
      sweeper = setInterval(sweep, SWEEP_EVERY);
    }, LAST_CALL);
    const deadline = setTimeout(() => server.closeAllConnections(), grace);

    // Not http's own close: that one hangs up at once on whoever is between two requests.
    NetServer.prototype.close.call(server, () => {
      clearTimeout(lastCall);
      clearTimeout(deadline);
      clearInterval(sweeper);
      resolve();
    });
  });
