import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchangeOf } from '../observe/exchange.ts';
import { acceptAll, nextTurn } from './backlog.ts';
import type { Connection } from './connection.ts';

/** How a server stops, in milliseconds. */
export interface StopOptions {
  /** For how long everything is still served, new connections too. */
  readonly drain: number;
  /** For how long requests in progress may take after that. */
  readonly grace: number;
  /**
   * The processes that listen on the same socket, if there are others. `leave` is called when the server is about to stop
   * listening: whether it is the last, and so accepts what waits in the backlog.
   */
  readonly group?: { readonly leave: () => Promise<boolean> } | undefined;
  /** Ends the limit of the backlog: `acceptAll` sets its length. */
  readonly endLimit: () => void;
}

/** For how many milliseconds a connection must be idle before it is closed: its next request may be on its way. */
const CLOSE_IDLE_AFTER = 100;
/** The same for a connection that has sent nothing yet: its client is about to, and does not expect that it closes. */
const CLOSE_UNUSED_AFTER = 1000;
const SWEEP_EVERY = 20;

/** For how many milliseconds a client may read nothing of its reply. */
const MAX_STALL = 1000;

const patienceWith = ({ bytesRead }: Socket): number =>
  bytesRead === 0 ? CLOSE_UNUSED_AFTER : CLOSE_IDLE_AFTER;

/** From now on the last answer of each connection says that it closes, and the answers before it do not. */
const announceClose = (server: Server, connections: ReadonlyMap<Socket, Connection>): void => {
  const markLast = ({ unanswered }: Connection): void => {
    const [last, previous] = unanswered.slice(-2).reverse();
    if (previous) previous.shouldKeepAlive = true;
    if (last) last.shouldKeepAlive = false;
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation'])
    server.prependListener(event, ({ socket }: IncomingMessage) => {
      const connection = connections.get(socket);
      if (connection) markLast(connection);
    });
  for (const connection of connections.values()) markLast(connection);
};

/** Whether everything that has arrived on a connection is answered. Half a header counts as nothing. */
const isIdle = (socket: Socket, { unanswered }: Connection): boolean =>
  unanswered.length === 0 && socket.writableLength === 0;

/**
 * Creates a sweep that closes idle connections and shortens the timeout of stalled ones. Right before each close, a
 * turn reads pending data. A request that arrives between that turn and the close is reset without an answer.
 */
const createSweep = (server: Server, connections: ReadonlyMap<Socket, Connection>) => {
  const stalled = server.timeout;
  const quiet = new WeakMap<Socket, { readonly bytesRead: number; readonly since: number }>();
  return async (): Promise<void> => {
    const now = performance.now();
    const idle: Socket[] = [];
    for (const [socket, connection] of connections) {
      const last = quiet.get(socket);
      if (last?.bytesRead !== socket.bytesRead)
        quiet.set(socket, { bytesRead: socket.bytesRead, since: now });
      else if (now - last.since >= patienceWith(socket) && isIdle(socket, connection)) idle.push(socket);
      // Only Node sees how much of a reply has left; it cuts connections whose timeout passes without progress.
      const timeout = socket.writableLength > 0 ? Math.min(MAX_STALL, stalled) : stalled;
      if (socket.timeout !== timeout) socket.setTimeout(timeout);
    }
    for (const socket of idle) {
      await nextTurn();
      if (quiet.get(socket)?.bytesRead === socket.bytesRead) socket.destroy();
    }
  };
};

/** Ends streams without an end, such as event streams, between two of their items. */
const endSequences = (connections: ReadonlyMap<Socket, Connection>): void => {
  for (const { unanswered } of connections.values())
    for (const response of [...unanswered]) exchangeOf(response)?.endSequence?.();
};

/**
 * Drains, then stops accepting, and settles once all accepted requests are answered or the grace time has passed. Each
 * decision about a connection follows a turn in which pending data was read: a process that was suspended finds its
 * timers due and requests unread, and must not hang up on those.
 */
export const stopServer = async (
  server: Server,
  connections: ReadonlyMap<Socket, Connection>,
  { drain, grace, group, endLimit }: StopOptions,
): Promise<void> => {
  const sweep = createSweep(server, connections);
  announceClose(server, connections);
  await sweep();
  if (drain > 0) await sleep(drain);
  endLimit();
  if (!group || (await group.leave())) await acceptAll(server);
  const deadline = setTimeout(() => server.closeAllConnections(), grace);
  let isClosed = false;
  // `close` of node:net: `close` of node:http drops connections between two requests.
  const closed = new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => {
      isClosed = true;
      resolve();
    });
  });
  while (!isClosed) {
    await nextTurn();
    endSequences(connections);
    await sweep();
    await Promise.race([closed, sleep(SWEEP_EVERY, undefined, { ref: false })]);
  }
  clearTimeout(deadline);
};
