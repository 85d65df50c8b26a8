import { connect, type Server, type Socket } from 'node:net';

/** Settles after what has arrived by now is read: timers run before pending reads, this runs after them. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How long connections are taken in, in milliseconds, until there is a moment without a new one. */
const PATIENCE = 500;
const MOST_ATTEMPTS = 20;

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

/** A connection to ourselves, which has its place in line, or has been turned away, by the time this settles. */
const plug = async (server: Server): Promise<Socket> => {
  const address = server.address();
  const { port = 0, address: host = '' } = typeof address === 'object' && address ? address : {};
  const socket = connect({ port, host }).on('error', () => {});
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
    if (isAlone) break;
  }
  end();
};
