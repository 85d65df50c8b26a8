import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../../packages/openapi/src/json/error-code.ts';
import { type Chance, createChance } from '../chance.ts';
import { BROKEN, FRAMED, type HostileRequest, type Kinds } from './requests.ts';

/** A request, and which kind it is. */
export interface Sent extends HostileRequest {
  readonly kind: string;
}

/** The requests that are sent on one connection, and how the connection then ends. */
export interface Conversation {
  /** Each of these gets exactly one reply. */
  readonly framed: readonly Sent[];
  /** A request that may be broken in any way, so nothing can follow it. */
  readonly last: Sent | undefined;
  /** Where the bytes are split into separate writes. */
  readonly cuts: readonly number[];
  /** Whether the client resets the connection at once, without waiting for replies. */
  readonly isReset: boolean;
}

/** The requests of a conversation in order. */
export const requestsOf = ({ framed, last }: Pick<Conversation, 'framed' | 'last'>): Sent[] =>
  last ? [...framed, last] : [...framed];

/** The bytes of a conversation in order. */
export const bytesOf = (conversation: Pick<Conversation, 'framed' | 'last'>): Buffer =>
  Buffer.concat(requestsOf(conversation).map(({ bytes }) => bytes));

const make = (chance: Chance, kinds: Kinds): Sent => {
  const [kind, makeOne] = chance.pick(...Object.entries(kinds));
  return { kind, ...makeOne(chance) };
};

/** Makes a conversation of up to ten requests: the same for the same seed and index. */
export const makeConversation = (seed: number, index: number): Conversation => {
  const chance = createChance(seed, `conversation ${index}`);
  const isReset = chance.oneIn(33);
  const framed = Array.from({ length: chance.between(0, 9) }, () => make(chance, FRAMED));
  const last = framed.length === 0 || !chance.oneIn(4) ? make(chance, BROKEN) : undefined;
  const { length } = bytesOf({ framed, last });
  const cuts = Array.from({ length: chance.oneIn(5) ? chance.between(1, 8) : 0 }, () =>
    chance.between(0, length),
  );
  return { framed, last, cuts: cuts.sort((one, other) => one - other), isReset };
};

/** Everything that was received on a connection until it closed. */
export interface Received {
  readonly bytes: Buffer;
  /** The code of the error that ended the connection. */
  readonly broke?: string | undefined;
  /** Whether the service left the connection open for too long. */
  readonly hangs?: boolean;
}

/** In milliseconds. The service ends every conversation long before. */
const TIMEOUT = 20_000;
/** The error while the system has no port left. */
const OUT_OF_PORTS = 'EADDRNOTAVAIL';

const writePieces = async (socket: Socket, bytes: Buffer, cuts: readonly number[]): Promise<void> => {
  let start = 0;
  for (const cut of [...cuts, bytes.length]) {
    if (cut > start) socket.write(bytes.subarray(start, cut));
    start = Math.max(start, cut);
    await nextTurn();
  }
};

const tryExchange = (port: number, conversation: Conversation): Promise<Received> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let broke: string | undefined;
    let hangs = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    socket.setTimeout(TIMEOUT, () => {
      hangs = true;
      socket.destroy();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => {
      broke = codeOf(error) || error.message;
    });
    socket.once('close', () => resolve({ bytes: Buffer.concat(chunks), broke, hangs }));
    socket.once('connect', async () => {
      await writePieces(socket, bytesOf(conversation), conversation.cuts);
      if (conversation.isReset) socket.resetAndDestroy();
      else socket.end();
    });
  });

/** Sends a conversation to a service on this machine, and returns everything it replied until it closed. */
export const exchange = async (port: number, conversation: Conversation): Promise<Received> => {
  for (;;) {
    const received = await tryExchange(port, conversation);
    if (received.broke !== OUT_OF_PORTS) return received;
    await sleep(200);
  }
};
