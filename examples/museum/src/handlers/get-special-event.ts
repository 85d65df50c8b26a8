import type { Handler } from '../../generated/handler.ts';
import { findEvent } from '../events.ts';
import type { Store } from '../store.ts';

/** GET /special-events/{eventId}: one event, unless the client has it already. */
export const getSpecialEvent =
  ({ db }: Store): Handler<'getSpecialEvent'> =>
  async ({ path: { eventId } }) => {
    const { event, version } = await findEvent(db, eventId);
    return { status: 200, headers: { ETag: `${version}` }, body: event };
  };
