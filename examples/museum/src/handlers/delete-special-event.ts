import type { Handler } from '../../generated/handler.ts';
import { problem } from '../problems.ts';
import type { Store } from '../store.ts';

/** DELETE /special-events/{eventId}: cancels an event. Tickets that were sold for it stay. */
export const deleteSpecialEvent =
  ({ db }: Store): Handler<'deleteSpecialEvent'> =>
  async ({ path: { eventId } }) => {
    const { numDeletedRows } = await db
      .deleteFrom('event')
      .where('id', '=', eventId)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n ? { status: 204 } : { status: 404, body: problem('There is no such event') };
  };
