import type { Socket } from 'node:net';
import { type Connection, isServed } from './connection.ts';
import { findReads, type Reads } from './node-http.ts';
import type { Turns } from './turns.ts';

/** With so many bytes that wait to be parsed, over all connections, no more is read until half of them are parsed. */
const MAX_HELD = 16 * 2 ** 20;

/**
 * So many connections are parsed without a limit beside their own: each has so few requests in a turn that all of them
 * together take less than a tenth of a second. To look at the clock after each read costs every request a few percent.
 */
const FEW = 100;

/** For how many milliseconds nothing must have waited before Node's parser reads the connections itself again. */
const CALM = 250;

const HEAD_END = Buffer.from('\r\n\r\n');

/** Stands for what a connection would bring that is not read for now. */
const UNREAD = Buffer.alloc(0);

/** No request is shorter. */
const MIN_REQUEST = 16;

/** Where to cut what has arrived, so that the first part completes one request at most. */
const endOfNext = (bytes: Buffer): number => {
  const end = bytes.indexOf(HEAD_END, MIN_REQUEST - HEAD_END.length) + HEAD_END.length;
  return end < HEAD_END.length || bytes.indexOf(HEAD_END, end) < 0 ? bytes.length : end;
};

/** A connection, and what has arrived on it and is not parsed. */
interface Gate {
  readonly socket: Socket;
  readonly connection: Connection;
  /** What Node does with what has been read. */
  readonly push: Socket['push'];
  reads: Reads | undefined;
  /** Up to where to parse next. */
  end: number;
  /** The size of the buffer that its bytes are in. */
  bytes: number;
  hasEnded: boolean;
}

/** Limits how much one turn parses, over all connections. */
export interface Parsing {
  add(socket: Socket, connection: Connection): void;
}

/**
 * Parses what has arrived on all connections, as much in each turn of the event loop as the turn has time for.
 *
 * Node reads every connection on which something has arrived, in one turn. While that takes little time, its parser
 * reads the connections itself. Once a turn has taken too long, all of them are read through their streams, and what the
 * turn has no time for is held back: nothing more is read from that connection until it is parsed.
 *
 * What is held is parsed one request of each connection at a time. Clients that wait for each answer go before those that
 * pipeline, as in the request queue.
 *
 * To pause the sockets of a crowd and read two of them in each turn is simpler, and let the creates of good clients wait
 * for 1.5 to 3.5 s beside crowds that pipeline, instead of 0.25 s.
 */
export const createParsing = (turns: Turns): Parsing => {
  const gates = new Set<Gate>();
  /** Those that are not looked at yet, since there have been few. */
  const unwatched = new Set<Gate>();
  const single: Gate[] = [];
  const pipelined: Gate[] = [];
  const unread: Gate[] = [];
  let heldBytes = 0;
  let isCrowded = false;
  let calmAt = 0;
  let isScheduled = false;

  const countWaiting = (): number => single.length + pipelined.length;

  const wait = (gate: Gate): void => {
    const { held = UNREAD } = gate.connection;
    gate.end = endOfNext(held);
    (gate.end === held.length && isServed(gate.connection) ? single : pipelined).push(gate);
    parseLater();
  };
  const parseLater = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    turns.onNext(parseHeld);
  };
  const keep = (gate: Gate, held: Buffer | undefined, bytes: number): void => {
    heldBytes += bytes - gate.bytes;
    gate.bytes = bytes;
    gate.connection.held = held;
  };
  const stopReading = (): void => {
    for (const gate of gates)
      if (gate.reads && !gate.connection.held && !gate.socket.isPaused()) {
        gate.reads.stop();
        gate.connection.held = UNREAD;
        unread.push(gate);
      }
  };
  const readOn = (): void => {
    for (const { socket, connection, push } of unread.splice(0))
      if (connection.held === UNREAD) {
        connection.held = undefined;
        push.call(socket, UNREAD); // brings nothing, and makes the stream read on
      }
  };
  const hold = (gate: Gate, chunk: Buffer): void => {
    const { held = UNREAD } = gate.connection;
    const bytes = held === UNREAD ? chunk : Buffer.concat([held, chunk]);
    keep(gate, bytes, bytes.length);
    if (held === UNREAD) wait(gate);
    calmAt = performance.now() + CALM;
    if (heldBytes > MAX_HELD) stopReading();
  };

  const parseNext = (gate: Gate): void => {
    const { socket, connection, push, reads, end } = gate;
    const { held } = connection;
    if (!held) return; // closed
    if (socket.isPaused()) {
      socket.once('resume', () => wait(gate));
      return;
    }
    if (end < held.length) {
      connection.held = held.subarray(end);
      socket.emit('data', held.subarray(0, end)); // to `push` it would make the stream read on
      wait(gate);
      return;
    }
    keep(gate, undefined, 0);
    push.call(socket, held);
    if (gate.hasEnded) push.call(socket, null);
    else if (!isCrowded) reads?.direct();
  };
  const parseHeld = (): void => {
    isScheduled = false;
    while (countWaiting() > 0 && turns.hasTimeToParse(performance.now())) {
      const next = single.shift() ?? pipelined.shift();
      if (next) parseNext(next);
    }
    if (heldBytes < MAX_HELD / 2) readOn();
    if (countWaiting() > 0) parseLater();
  };

  const calmDown = (): void => {
    if (countWaiting() + unread.length > 0 || performance.now() < calmAt) {
      setTimeout(calmDown, CALM).unref();
      return;
    }
    isCrowded = false;
    for (const { connection, reads } of gates) if (!connection.held) reads?.direct();
  };
  const onDirectRead = (): void => {
    if (isCrowded || !turns.isLong(performance.now())) return;
    isCrowded = true;
    for (const { reads } of gates) reads?.streamed();
    setTimeout(calmDown, CALM).unref();
  };

  const receive = (gate: Gate, chunk: Buffer | null): boolean => {
    const { socket, connection, push } = gate;
    const isInTime = () => !socket.isPaused() && turns.hasTimeToParse(performance.now());
    if (!connection.held && (chunk === null || isInTime())) return push.call(socket, chunk);
    if (chunk === null) gate.hasEnded = true;
    else hold(gate, chunk);
    return false;
  };

  const watch = (gate: Gate): void => {
    const { socket } = gate;
    gate.reads = findReads(socket, onDirectRead);
    socket.push = (chunk) => receive(gate, chunk);
    if (!gate.reads)
      socket.on('data', () => {}); // the public way to make Node read through the stream
    else if (isCrowded) gate.reads.streamed();
  };

  return {
    add(socket, connection) {
      const gate: Gate = {
        socket,
        connection,
        push: socket.push,
        reads: undefined,
        end: 0,
        bytes: 0,
        hasEnded: false,
      };
      gates.add(gate);
      unwatched.add(gate);
      socket.once('close', () => {
        gates.delete(gate);
        unwatched.delete(gate);
        keep(gate, undefined, 0);
      });
      if (gates.size <= FEW) return;
      for (const each of unwatched) watch(each);
      unwatched.clear();
    },
  };
};
