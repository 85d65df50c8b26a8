import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { oncePerObject } from '@trellis/openapi/internal/json';

/** Whether the system has taken all of a reply, or never will. Until then the reply is in our memory. */
export const isFlushed = ({ req, socket }: ServerResponse): boolean =>
  req.socket.destroyed || socket?.writableLength === 0;

/** By connection: when a connection closes, Node emits nothing for replies that wait behind another one. */
const pendingOn = oncePerObject((socket: Socket): Set<() => void> => {
  const callbacks = new Set<() => void>();
  socket.once('close', () => {
    for (const callback of callbacks) callback();
  });
  return callbacks;
});

/** Calls back once, as soon as a reply is flushed. */
export const onFlushed = (response: ServerResponse, callback: () => void): void => {
  if (isFlushed(response)) {
    callback();
    return;
  }
  const callbacks = pendingOn(response.req.socket);
  const callOnce = (): void => {
    if (callbacks.delete(callOnce)) callback();
  };
  callbacks.add(callOnce);
  response.once('close', callOnce);
};
