import type { ServerResponse } from 'node:http';

/** Whether the system has taken all of a reply, or never will. Until then the reply is in our memory. */
export const isFlushed = ({ req, socket }: ServerResponse): boolean =>
  req.socket.destroyed || socket?.writableLength === 0;

/** Calls back once, as soon as a reply is flushed. */
export const onFlushed = (response: ServerResponse, callback: () => void): void => {
  if (isFlushed(response)) {
    callback();
    return;
  }
  const { socket } = response.req;
  const close = (): void => {
    response.off('close', close);
    socket.off('close', close);
    callback();
  };
  response.once('close', close);
  socket.once('close', close); // a reply that waits behind another one is not told
};
