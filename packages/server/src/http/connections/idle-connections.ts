import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';

/** Node's list of a server's connections: `idle` gives the parsers of those that are between two requests. */
interface ConnectionsList {
  idle: () => readonly unknown[];
}

const isList = (value: unknown): value is ConnectionsList =>
  typeof value === 'object' && value !== null && 'idle' in value && typeof value.idle === 'function';

/** The list has no public name; `undefined` in a Node that has none. */
const findList = (server: Server): ConnectionsList | undefined => {
  const name = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  );
  const list: unknown = name && Reflect.get(server, name);
  return isList(list) ? list : undefined;
};

/**
 * Creates a test for idle connections: those on which nothing has arrived that is not answered. Each call takes a
 * snapshot. A Node without the list does not say who has sent half a header; such connections then count as idle.
 */
export const createIdleTest = (server: Server) => {
  const list = findList(server);
  return (): ((socket: Socket, connection: Connection) => boolean) => {
    const parsers = list && new Set(list.idle());
    return (socket, { unanswered, held }) => {
      if (unanswered > 0 || held || socket.writableLength > 0) return false;
      // Node counts a connection that has sent nothing as busy with a header.
      return socket.bytesRead === 0 || !parsers || ('parser' in socket && parsers.has(socket.parser));
    };
  };
};
