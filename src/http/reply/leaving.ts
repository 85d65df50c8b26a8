import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Whether a reply that was sent has left us, or never will: what the system has not taken we keep in memory. */
export const hasLeft = ({ req, socket }: ServerResponse): boolean =>
  req.socket.destroyed || socket?.writableLength === 0;

/** By connection, because Node does not tell of the end of a reply whose turn has not come when the connection closes. */
const leaving = new WeakMap<Socket, Set<() => void>>();

const leavingOn = (socket: Socket): Set<() => void> => {
  const known = leaving.get(socket);
  if (known) return known;
  const tell = new Set<() => void>();
  leaving.set(socket, tell);
  socket.once('close', () => {
    for (const each of tell) each();
  });
  return tell;
};

/** Tells once when a reply that was sent has left us, or never will. */
export const onceLeft = (response: ServerResponse, tell: () => void): void => {
  if (hasLeft(response)) {
    tell();
    return;
  }
  const all = leavingOn(response.req.socket);
  const tellOnce = (): void => {
    if (all.delete(tellOnce)) tell();
  };
  all.add(tellOnce);
  response.once('close', tellOnce);
};
