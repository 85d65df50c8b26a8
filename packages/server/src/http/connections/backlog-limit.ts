import type { Server } from 'node:net';
import { hasHandle } from './backlog.ts';
import type { Turns } from './turns.ts';

/** For how many milliseconds a connection may wait to be accepted. */
const MAX_WAIT = 400;

/**
 * Limits the backlog to the connections that are accepted in that time. The system accepts in order: with a longer backlog
 * clients would have given up before their turn, and the service would work for no client. The system drops the other
 * connections without any work of ours; their clients try again after a second.
 *
 * The backlog is limited once a connection has come in every turn for as long as that, and until a turn has brought none.
 * Returns a function that ends this.
 */
export const limitBacklog = (server: Server, turns: Turns, longest: number): (() => void) => {
  let accepted = 0;
  let seen = 0;
  let limit = longest;
  /** The time since which the backlog may not have been empty, and the number of connections accepted by then. */
  let since: { readonly time: number; readonly accepted: number } | undefined;

  const set = (length: number): void => {
    if (length === limit || !hasHandle(server)) return;
    limit = length;
    server._handle.listen(length);
  };
  const look = (): void => {
    if (accepted > seen) {
      seen = accepted;
      turns.onNext(look);
      return;
    }
    since = undefined;
    set(longest);
  };
  const note = (): void => {
    accepted += 1;
    const time = performance.now();
    if (!since) turns.onNext(look);
    since ??= { time, accepted };
    const waited = time - since.time;
    if (waited < MAX_WAIT) return;
    set(Math.min(longest, Math.max(1, Math.round(((accepted - since.accepted) * MAX_WAIT) / waited))));
    since = { time, accepted };
  };
  server.on('connection', note);
  return () => server.off('connection', note);
};
