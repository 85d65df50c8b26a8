import { readFileSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Settles after what has arrived by now is read: timers run before pending reads, this runs after them. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How long connections are taken in, in milliseconds, until there is a moment without a new one. */
const PATIENCE = 500;
const MOST_ATTEMPTS = 20;

/** A client whose handshake was cut short sends again after 200 ms at the earliest. It is waited for, a few times. */
const SENT_AGAIN = 250;
const MOST_WAITS = 4;
const ROOM = 511;

/** Of what Node has of the system's socket: to listen again sets how many connections may wait. */
interface Handle {
  listen: (backlog: number) => number;
}

const hasHandle = (server: Server): server is Server & { _handle: Handle } =>
  '_handle' in server &&
  typeof server._handle === 'object' &&
  server._handle !== null &&
  'listen' in server._handle &&
  typeof server._handle.listen === 'function';

/** How many connections were taken in, and from which port the latest of them came. */
interface Arrivals {
  count: number;
  latest: number | undefined;
}

const watchArrivals = (server: Server) => {
  const arrivals: Arrivals = { count: 0, latest: undefined };
  const note = (socket?: Socket): void => {
    arrivals.count += 1;
    arrivals.latest = socket?.remotePort;
  };
  const noteDropped = () => note();
  server.on('connection', note).on('drop', noteDropped);
  return { arrivals, end: () => server.off('connection', note).off('drop', noteDropped) };
};

const portOf = (server: Server): number => {
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
 * Whether a handshake is half done. Its client may take it for done: then its request has been dropped, because the line
 * was full, and is sent again. Linux tells; elsewhere nobody knows. At once, since others are kept out for this turn only.
 */
const hasHalfDone = (port: number): boolean => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const halfDone = new RegExp(`: [0-9A-F]+:${hex} [0-9A-F]+:[0-9A-F]{4} 03 `); // 03 is SYN_RECV
  return ['/proc/net/tcp', '/proc/net/tcp6'].some((file) => halfDone.test(readOrNothing(file)));
};

/** A connection to ourselves, which has its place in line, or has been turned away, by the time this settles. */
const plug = async (server: Server): Promise<Socket> => {
  const address = server.address();
  const host = typeof address === 'object' && address ? address.address : '';
  const socket = connect({ port: portOf(server), host }).on('error', () => {});
  await new Promise<void>((resolve) => process.nextTick(resolve)); // Node connects in the next tick
  return socket;
};

/** Whether two connections of our own keep others out by now, and only the second of them is still in line. */
const keepOthersOut = async (server: Server & { _handle: Handle }, arrivals: Arrivals): Promise<boolean> => {
  server._handle.listen(0); // one may wait
  const first = await plug(server);
  server._handle.listen(1);
  const second = await plug(server);
  server._handle.listen(0);
  await nextTurn();
  const isAlone = arrivals.latest === first.localPort && !first.connecting && !second.connecting;
  for (const socket of [first, second]) socket.destroy();
  return isAlone;
};

/**
 * Settles at a moment when no connection waits to be taken in, and the listening socket can be closed without a reset for
 * anybody. Node takes in one connection a turn: a turn without one has found none. Somebody may come right after that,
 * so two connections of our own keep others out. While more wait than the backlog allows, the system lets nobody
 * else get in line. Once the first of ours has been taken in, the second alone is there, and still keeps others out.
 */
export const takeInAll = async (server: Server): Promise<void> => {
  const { arrivals, end } = watchArrivals(server);
  const port = portOf(server);
  let waits = 0;
  const patience = performance.now() + PATIENCE;
  let isAlone = !hasHandle(server);
  await nextTurn(); // this turn may have taken in one before we began to count
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    let before: number;
    do {
      before = arrivals.count;
      await nextTurn();
    } while (arrivals.count > before && performance.now() < patience);
    if (!isAlone && hasHandle(server)) isAlone = await keepOthersOut(server, arrivals);
    if (isAlone && hasHandle(server) && waits < MOST_WAITS && hasHalfDone(port)) {
      isAlone = false;
      waits += 1;
      server._handle.listen(ROOM);
      await sleep(SENT_AGAIN);
    }
    if (isAlone) break;
  }
  end();
};
