import type { ServerResponse } from 'node:http';

declare module 'http' {
  interface ServerResponse {
    /** Tells the handler of this response that nobody waits for it; created if the handler asks for its signal. */
    abortController?: AbortController;
  }
}

/** The signal of a request: aborted once its client has left, or its stream was ended before it was complete. */
export const signalOf = (response: ServerResponse): AbortSignal => {
  if (response.abortController) return response.abortController.signal;
  const controller = new AbortController();
  response.abortController = controller;
  if (response.closed) controller.abort();
  else
    response.once('close', () => {
      if (!response.writableFinished) controller.abort();
    });
  return controller.signal;
};
