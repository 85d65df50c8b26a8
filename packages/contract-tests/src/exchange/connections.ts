import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a request waits for a first byte before idle connections are closed. */
const FIRST_BYTE_MS = 500;

const destroyThis = function (this: Duplex): void {
  this.destroy();
};

/**
 * Guards idle connections. Bytes that arrive on an idle connection must not be read as the next reply. And a service
 * that handles one connection at a time must not wait for an idle one.
 */
export const createIdleCare = (agent: Agent) => {
  const starving = new Set<object>();
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    if (starving.size > 0) return false;
    socket.on('data', destroyThis);
    return keep(socket);
  };
  agent.reuseSocket = (socket, request) => {
    socket.off('data', destroyThis);
    reuse(socket, request);
  };
  const closeIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  };

  /** Watches a request until it settles: idle connections are closed while no byte of its reply has come. */
  return (isWaiting: () => boolean): (() => void) => {
    const request = {};
    const timer = setTimeout(() => {
      if (!isWaiting()) return;
      starving.add(request);
      closeIdle();
    }, FIRST_BYTE_MS);
    return () => {
      clearTimeout(timer);
      starving.delete(request);
    };
  };
};

/** A connection that stays open and silent for this long has sent all of the reply to a HEAD. */
const SILENCE_MS = 300;

/**
 * Delays the end of a reply to a HEAD until its connection is closed or silent. Bytes after the head are then reported
 * as an error of the parser, instead of being lost with the connection.
 */
export const holdBack = (response: IncomingMessage): void => {
  response.pause();
  const timer = setTimeout(() => response.resume(), SILENCE_MS);
  response.socket.once('close', () => {
    clearTimeout(timer);
    response.resume();
  });
};

/** Long enough for the service to read each piece separately. */
const PAUSE_MS = 2;

/** Where to cut a body: after its first and before its last byte, in its middle, in a multi-byte character, in a boundary. */
const cutsOf = (body: Buffer): number[] => {
  const character = body.findIndex((byte) => byte >= 0xc0) + 1;
  const boundary = body.subarray(0, 2).equals(Buffer.from('--')) ? body.lastIndexOf('\r\n--') + 3 : 0;
  const cuts = [1, body.length >> 1, character, boundary, body.length - 1];
  return [...new Set(cuts)].filter((cut) => cut > 0 && cut < body.length).sort((one, other) => one - other);
};

/** Sends a body in chunks that are cut inside characters, boundaries and at both ends (RFC 9112, section 7.1). */
export const sendPieces = async (outgoing: ClientRequest, body: Buffer = Buffer.alloc(0)): Promise<void> => {
  let start = 0;
  for (const cut of cutsOf(body)) {
    if (outgoing.destroyed) return;
    outgoing.write(body.subarray(start, cut));
    start = cut;
    await pause(PAUSE_MS);
  }
  outgoing.end(body.subarray(start));
};
