import type { Server } from 'node:net';
import { hasHandle } from './backlog.ts';
import type { Turns } from './turns.ts';

/** For how many milliseconds a connection may wait to be accepted. */
const MAX_WAIT = 150;

/**
 * Keeps the backlog as short as what is accepted in that time. The system accepts in order, so clients of a
 * longer one would have given up once it is their turn, and the service would serve nobody. What the backlog has no place
 * for, the system drops without any work of ours; its client tries again after a second.
 *
 * The backlog is limited once a connection has come in every turn for as long as that, and until a turn has brought none.
 * Returns a function that ends this.
 */
export const limitBacklog = (server: Server, turns: Turns, longest: number): (() => void) => {
  let accepted = 0;
  let seen = 0;
  let limit = longest;
  /** Since when the backlog may not have been empty, and what had been accepted by then. */
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
