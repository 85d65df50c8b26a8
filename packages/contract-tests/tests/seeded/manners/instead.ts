import type { Received, Reply, Variant } from '../service/variant.ts';

/** Replaces the replies that have a status. */
export const instead = (status: number, change: (reply: Reply, received: Received) => Reply): Variant => ({
  replies: (reply, received) => (reply.status === status ? change(reply, received) : reply),
});
