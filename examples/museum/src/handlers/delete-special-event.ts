import { checkPreconditions } from '@trellis/server/http';
import type { Handler } from '../../generated/handler.ts';
import { findEvent } from '../events.ts';
import type { Store } from '../store.ts';

/** DELETE /special-events/{eventId}: cancels an event, and refunds the tickets that were sold for it. */
export const deleteSpecialEvent =
  ({ transaction }: Store): Handler<'deleteSpecialEvent'> =>
  async ({ path: { eventId }, header }) => {
    await transaction(async (tx) => {
      const { version } = await findEvent(tx, eventId);
      checkPreconditions(header, version);
      await tx.deleteFrom('event').where('id', '=', eventId).execute();
      await tx
        .updateTable('ticket')
        .set({ state: 'refunded' })
        .where('event_id', '=', eventId)
        .where('type', '=', 'event')
        .where('state', '=', 'sold')
        .execute();
    });
    return { status: 204 };
  };
