import type { ServerResponse } from 'node:http';

declare module 'http' {
  interface ServerResponse {
    /** Tells the handler of this response that nobody waits for it; created if the handler asks for its signal. */
    abortController?: AbortController;
  }
}

/** For how many milliseconds a client that has closed its side is believed to wait for its reply. */
const GRACE = 1000;

/**
 * The signal of a request: aborted once its client has left, or its stream was ended before it was complete. A client that
 * closes its side has left, as far as anybody can see before a reply is written: TCP tells no more.
 */
export const signalOf = (response: ServerResponse): AbortSignal => {
  if (response.abortController) return response.abortController.signal;
  const controller = new AbortController();
  response.abortController = controller;
  const { socket } = response.req;
  let timer: NodeJS.Timeout | undefined;
  const abortLater = (): void => {
    timer = setTimeout(() => response.headersSent || controller.abort(), GRACE);
  };
  const close = (): void => {
    clearTimeout(timer);
    socket.off('end', abortLater).off('close', close);
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed || socket.destroyed) controller.abort();
  else {
    if (socket.readableEnded) abortLater();
    else socket.once('end', abortLater);
    response.once('close', close);
    socket.once('close', close); // a response that waits behind another one is not told
  }
  return controller.signal;
};

/** Whether a handler has failed only because its signal told it that nobody waits. */
export const isAborted = ({ abortController }: ServerResponse, error: unknown): boolean =>
  abortController?.signal.aborted === true && Reflect.get(Object(error), 'name') === 'AbortError';
