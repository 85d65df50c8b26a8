import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from './connection.ts';

/** Of the list that Node keeps of a server's connections: the parsers of those that are between two requests. */
interface ConnectionsList {
  idle: () => readonly unknown[];
}

const isList = (value: unknown): value is ConnectionsList =>
  typeof value === 'object' && value !== null && 'idle' in value && typeof value.idle === 'function';

/** Node's own list, which has no public name; `undefined` where a Node has none. */
const findList = (server: Server): ConnectionsList | undefined => {
  const name = Object.getOwnPropertySymbols(server).find(
    ({ description }) => description === 'http.server.connections',
  );
  const list: unknown = name && Reflect.get(server, name);
  return isList(list) ? list : undefined;
};

/**
 * Tells, of the connections as they are now, which have nothing that arrived and is not answered. Where Node does not
 * tell who has sent half a header, all others count as such.
 */
export const createIdleLook = (server: Server) => {
  const list = findList(server);
  return (): ((socket: Socket, connection: Connection) => boolean) => {
    const parsers = list && new Set(list.idle());
    return (socket, { unanswered }) => {
      if (unanswered > 0 || socket.writableLength > 0) return false;
      // To Node a connection that has sent nothing is not idle, but busy with a header.
      return socket.bytesRead === 0 || !parsers || ('parser' in socket && parsers.has(socket.parser));
    };
  };
};
