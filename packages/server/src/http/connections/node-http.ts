/**
 * What we use of Node's HTTP server that is private, and may be missing in a later Node. Each user falls back to a public
 * way, which is slower or less exact.
 */
import type { IncomingMessage as Request, Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * The public part of node:http. An `import` would read every property of it, and reading `WebSocket` loads all of Node's
 * fetch: on Node 24 that takes a tenth of the start.
 */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');

/** A request, as Node's parser passes it on. */
export type ParsedRequest = Request & { readonly upgrade?: boolean };

/** What we use of Node's parser, which is private: `socket.parser`. */
interface Parser {
  /** Passes on each request whose header is complete. */
  onIncoming: (request: ParsedRequest, keepAlive: boolean) => number;
}

/** Whether a part of Node has a method. */
export const hasMethod = <Name extends string>(
  part: unknown,
  name: Name,
): part is Readonly<Record<Name, (...values: unknown[]) => unknown>> =>
  typeof part === 'object' && part !== null && typeof Reflect.get(part, name) === 'function';

/** Whether a connection has a parser. Node takes it away where the connection ends, or leaves HTTP. */
export const hasParser = (socket: Socket): socket is Socket & { parser: Parser } =>
  hasMethod(Reflect.get(socket, 'parser'), 'onIncoming');

/** Who reads a connection: at first Node's parser itself. */
export interface Reads {
  /** The parser reads: the bytes do not get to JavaScript, which saves each request some 10 µs. */
  direct(): void;
  /** The stream of the socket reads, and passes the bytes on to the parser. */
  streamed(): void;
  /** Nobody reads until the stream asks for more. */
  stop(): void;
}

/**
 * Finds out how to change who reads a connection, and calls back after each read of the parser. This is private in Node:
 * `consume`, `unconsume`, `_consumed` and the callback `kOnExecute` of the parser, `readStop` and `reading` of the handle.
 * `undefined` in a Node that lacks them.
 */
export const findReads = (socket: Socket, onDirectRead: () => void): Reads | undefined => {
  const parser: unknown = Reflect.get(socket, 'parser');
  const handle: unknown = Reflect.get(socket, '_handle');
  if (!hasMethod(parser, 'consume') || !hasMethod(parser, 'unconsume') || !hasMethod(handle, 'readStop'))
    return undefined;
  const key = Reflect.get(parser.constructor, 'kOnExecute');
  const onExecute: unknown = Reflect.get(parser, key);
  // Node clears `_consumed` for good once somebody else listens to the socket.
  const isConsumed = (): boolean => Reflect.get(parser, '_consumed') === true;
  if (typeof onExecute !== 'function' || !isConsumed()) return undefined;
  const execute = (parsed: unknown): void => {
    onExecute(parsed);
    onDirectRead();
  };
  Reflect.set(parser, key, execute);
  const isOurs = (): boolean => Reflect.get(socket, 'parser') === parser; // Node gives parsers to other connections
  let isDirect = true;
  return {
    direct() {
      if (isDirect || !isOurs() || !isConsumed() || socket.destroyed || socket.readableLength > 0) return;
      isDirect = true;
      parser.consume(handle); // twice, it would end the process
    },
    streamed() {
      if (!isDirect || !isOurs()) return;
      isDirect = false;
      parser.unconsume();
    },
    stop() {
      Object.assign(handle, { reading: false });
      handle.readStop();
    },
  };
};

/** Node's list of a server's connections: `idle` gives the parsers of those that are between two requests. */
interface ConnectionsList {
  idle: () => readonly unknown[];
}

const isList = (value: unknown): value is ConnectionsList => hasMethod(value, 'idle');

/** Finds that list, which has no public name; `undefined` in a Node that has none. */
export const findConnectionsList = (server: Server): ConnectionsList | undefined => {
  const name = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  );
  const list: unknown = name && Reflect.get(server, name);
  return isList(list) ? list : undefined;
};
