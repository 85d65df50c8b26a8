import type { Server } from 'node:http';
import { setImmediate } from 'node:timers/promises';

/** Counts the requests that a server parses in each turn of its event loop, from the next turn until it is stopped. */
export const countPerTurn = (server: Server) => {
  const perTurn: number[] = [];
  let count = 0;
  const note = (): void => {
    if (count === 0)
      void setImmediate().then(() => {
        perTurn.push(count);
        count = 0;
      });
    count += 1;
  };
  server.on('request', note);
  return { perTurn, stop: () => void server.off('request', note) };
};
