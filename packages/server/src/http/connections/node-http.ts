/**
 * What we use of Node's HTTP server that is private, and may be missing in a later Node. Each user falls back to a public
 * way, which is slower or less exact.
 */
import type { IncomingMessage as Request } from 'node:http';
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
