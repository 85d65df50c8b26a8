import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { createIdleLook } from './idle.ts';
import { nextTurn, takeInAll } from './last-in.ts';

/** How a server stops, in milliseconds. */
export interface StopOptions {
  /** For how long everything is served as ever, new connections too. */
  readonly drain: number;
  /** For how long, after that, those who are being served are waited for. */
  readonly grace: number;
}

/** How long a connection between two requests may still bring the next: it may be on its way. */
const LAST_CALL = 100;
const SWEEP_EVERY = 20;

/** How long a client may take in nothing of its reply. */
const STALLED = 1000;

/** From now on the last answer of each connection says that it closes; to those before it that would be the end too early. */
const announceClose = (server: Server, connections: ReadonlyMap<Socket, Connection>): void => {
  const markLast = ({ latest, before }: Connection): void => {
    if (before) before.shouldKeepAlive = true;
    if (latest) latest.shouldKeepAlive = false;
  };
  for (const asked of ['request', 'checkContinue', 'checkExpectation'])
    server.prependListener(asked, ({ socket }: IncomingMessage) => {
      const connection = connections.get(socket);
      if (connection) markLast(connection);
    });
  for (const connection of connections.values()) markLast(connection);
};

/** Looks at every connection, and judges each by itself: by what it has done since the last look. */
const createSweep = (server: Server, connections: ReadonlyMap<Socket, Connection>) => {
  const stalled = server.timeout;
  const lookForIdle = createIdleLook(server);
  const quiet = new WeakMap<Socket, { readonly bytesRead: number; readonly since: number }>();
  return (now: number): void => {
    const isIdle = lookForIdle();
    for (const [socket, connection] of connections) {
      const last = quiet.get(socket);
      if (last?.bytesRead !== socket.bytesRead)
        quiet.set(socket, { bytesRead: socket.bytesRead, since: now });
      else if (now - last.since >= LAST_CALL && isIdle(socket, connection)) socket.destroy();
      // Node cuts a connection whose timeout passes. It counts what leaves us, which nobody else sees.
      const timeout = socket.writableLength > 0 ? Math.min(STALLED, stalled) : stalled;
      if (socket.timeout !== timeout) socket.setTimeout(timeout);
    }
  };
};

/**
 * Serves on for a while, then stops accepting, and settles once what was accepted is answered, or the time of grace has
 * passed. Whatever decides about a connection does so right after what has arrived was read: a process that was held up
 * finds its timers due and requests unread, and would hang up on those.
 */
export const stopServer = async (
  server: Server,
  connections: ReadonlyMap<Socket, Connection>,
  { drain, grace }: StopOptions,
): Promise<void> => {
  const sweep = createSweep(server, connections);
  announceClose(server, connections);
  sweep(performance.now());
  if (drain > 0) await sleep(drain);
  await takeInAll(server);
  const deadline = setTimeout(() => server.closeAllConnections(), grace);
  let isClosed = false;
  // Not http's own close: that one hangs up at once on whoever is between two requests.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      isClosed = true;
      resolve();
    });
  });
  while (!isClosed) {
    await nextTurn();
    sweep(performance.now());
    await Promise.race([closed, sleep(SWEEP_EVERY, undefined, { ref: false })]);
  }
  clearTimeout(deadline);
};
