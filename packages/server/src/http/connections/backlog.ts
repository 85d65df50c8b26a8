import { readFileSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasMethod } from './node-http.ts';
import type { Turns } from './turns.ts';

/** Settles after everything that has arrived by now is read: pending reads come after timers and before immediates. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** For how many milliseconds connections are accepted while new ones keep arriving. */
const ACCEPT_FOR = 5000;
/** How often the backlog is blocked at least, even if a busy machine takes longer than that. */
const MIN_ATTEMPTS = 20;

/** A client that was turned away retransmits after 200 ms at the earliest. We wait a little longer, a few times. */
const RETRANSMIT = 250;
const MAX_WAITS = 4;
const BACKLOG_WHILE_WAITING = 511;

/** The method of Node's handle that is needed here: calling `listen` again changes the length of the backlog. */
interface Handle {
  listen: (backlog: number) => number;
}

const hasHandle = (server: Server): server is Server & { _handle: Handle } =>
  hasMethod(Reflect.get(server, '_handle'), 'listen');

/** How many connections were accepted, and the remote port of the latest. */
interface Accepted {
  count: number;
  latestPort: number | undefined;
}

const countAccepted = (server: Server) => {
  const accepted: Accepted = { count: 0, latestPort: undefined };
  const note = (socket?: Socket): void => {
    accepted.count += 1;
    accepted.latestPort = socket?.remotePort;
  };
  const noteDropped = () => note();
  server.on('connection', note).on('drop', noteDropped);
  return { accepted, stopCounting: () => server.off('connection', note).off('drop', noteDropped) };
};

/** The port that a server listens on; 0 if it listens on none. */
export const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

const readOrNothing = (file: string): string => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};

/**
 * Whether a TCP handshake is half done. Its client may think that it is connected and has sent a request, which was
 * dropped because the backlog was full, and will be sent again. Only Linux shows this. The read is synchronous, because
 * the backlog is blocked for this turn only.
 */
const hasHalfOpen = (port: number): boolean => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const halfOpen = new RegExp(`: [0-9A-F]+:${hex} [0-9A-F]+:[0-9A-F]{4} 03 `); // 03 is SYN_RECV
  return ['/proc/net/tcp', '/proc/net/tcp6'].some((file) => halfOpen.test(readOrNothing(file)));
};

/** Connects to the server itself. By the time this settles, the connection is in the backlog or was turned away. */
const connectToSelf = async (server: Server): Promise<Socket> => {
  const address = server.address();
  const host = typeof address === 'object' && address ? address.address : '';
  const socket = connect({ port: portOf(server), host }).on('error', () => {});
  await new Promise<void>((resolve) => process.nextTick(resolve)); // Node connects in the next tick
  return socket;
};

/** Fills the backlog with two connections of our own; returns whether only the second of them is left in it. */
const blockBacklog = async (server: Server & { _handle: Handle }, accepted: Accepted): Promise<boolean> => {
  server._handle.listen(0); // one connection may wait
  const first = await connectToSelf(server);
  server._handle.listen(1);
  const second = await connectToSelf(server);
  server._handle.listen(0);
  await nextTurn();
  const isBlocked = accepted.latestPort === first.localPort && !first.connecting && !second.connecting;
  for (const socket of [first, second]) socket.destroy();
  return isBlocked;
};

/**
 * Accepts every connection in the backlog. When this settles, the listening socket can be closed without resetting a
 * client that has connected already.
 *
 * Node accepts one connection a turn, so a turn without one has found the backlog empty. A client may still connect
 * right after that. So the server then fills the backlog with two connections to itself, and the system accepts no
 * others. Once the first of them is accepted, the second is alone in the backlog and still blocks it.
 *
 * Closing after a turn without a connection is simpler, but resets clients that connect in that moment: 8 of 27,000
 * creates in 20 rolling restarts had no answer.
 */
export const acceptAll = async (server: Server): Promise<void> => {
  const { accepted, stopCounting } = countAccepted(server);
  const port = portOf(server);
  const deadline = performance.now() + ACCEPT_FOR;
  let waits = 0;
  await nextTurn(); // this turn may have accepted one before we began to count
  for (let attempt = 0; attempt < MIN_ATTEMPTS || performance.now() < deadline; attempt += 1) {
    let before: number;
    do {
      before = accepted.count;
      await nextTurn();
    } while (accepted.count > before && performance.now() < deadline);
    if (!hasHandle(server)) break;
    if (!(await blockBacklog(server, accepted))) continue;
    if (waits === MAX_WAITS || !hasHalfOpen(port)) break;
    waits += 1;
    server._handle.listen(BACKLOG_WHILE_WAITING);
    await sleep(RETRANSMIT);
  }
  stopCounting();
};

/** For how many milliseconds a connection may wait to be accepted. */
const MAX_WAIT = 400;

/**
 * Limits the backlog to the connections that are accepted in that time. The system accepts in order: with a longer backlog
 * clients would have given up before their turn, and the service would work for no client. The system drops the other
 * connections without any work of ours; their clients try again after a second.
 *
 * The backlog is limited once a connection has come in every turn for as long as that, and until a turn has brought none.
 * Returns a function that ends this.
 */
export const limitBacklog = (server: Server, turns: Turns, longest: number): (() => void) => {
  let accepted = 0;
  let seen = 0;
  let limit = longest;
  /** The time since which the backlog may not have been empty, and the number of connections accepted by then. */
  let since: { readonly time: number; readonly accepted: number } | undefined;

  const set = (length: number): void => {
    if (length === limit || !hasHandle(server)) return;
    limit = length;
    server._handle.listen(length);
  };
  const look = (): void => {
    if (accepted > seen) {
      seen = accepted;
      turns.onNext(look);
      return;
    }
    since = undefined;
    set(longest);
  };
  const note = (): void => {
    accepted += 1;
    const time = performance.now();
    if (!since) turns.onNext(look);
    since ??= { time, accepted };
    const waited = time - since.time;
    if (waited < MAX_WAIT) return;
    set(Math.min(longest, Math.max(1, Math.round(((accepted - since.accepted) * MAX_WAIT) / waited))));
    since = { time, accepted };
  };
  server.on('connection', note);
  return () => server.off('connection', note);
};
