import type { ServerExchange } from './exchange.ts';

/** For how many milliseconds a client that has closed its side is believed to wait for its reply. */
const GRACE = 1000;

/**
 * The signal of a request: aborted once its client has left, or its stream was ended before it was complete. A client
 * that closes its side counts as gone if no reply has begun within the grace time: TCP says no more.
 */
export const signalOf = (exchange: ServerExchange): AbortSignal => {
  if (exchange.abort) return exchange.abort.signal;
  const controller = new AbortController();
  exchange.abort = controller;
  const { response } = exchange;
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
    socket.once('close', close); // Node emits nothing for a response that waits behind another one
  }
  return controller.signal;
};

/** Whether a handler has failed only because its signal was aborted. */
export const isAborted = ({ abort }: ServerExchange, error: unknown): boolean =>
  abort?.signal.aborted === true && Reflect.get(Object(error), 'name') === 'AbortError';
