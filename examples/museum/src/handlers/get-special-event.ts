import type { Handler } from '../../generated/handler.ts';
import { findEvent } from '../events.ts';
import { problem } from '../problems.ts';
import type { Store } from '../store.ts';

/** GET /special-events/{eventId}: one event. */
export const getSpecialEvent =
  ({ db }: Store): Handler<'getSpecialEvent'> =>
  async ({ path: { eventId } }) => {
    const event = await findEvent(db, eventId);
    return event ? { status: 200, body: event } : { status: 404, body: problem('There is no such event') };
  };
