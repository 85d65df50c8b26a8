import { checkPreconditions } from '@trellis/server/http';
import type { Handler } from '../../generated/handler.ts';
import { findEvent, writeDates } from '../events.ts';
import type { Store } from '../store.ts';

/**
 * PATCH /special-events/{eventId}: changes the given fields, unless another request has changed the event meanwhile.
 */
export const updateSpecialEvent =
  ({ transaction, publish }: Store): Handler<'updateSpecialEvent'> =>
  async ({ path: { eventId }, header, body }) => {
    const { event, version } = await transaction(async (tx) => {
      const held = await findEvent(tx, eventId);
      checkPreconditions(header, held.version);
      const { name, location, eventDescription: description, price } = { ...held.event, ...body };
      const row = { name, location, description, price, version: held.version + 1n };
      await tx.updateTable('event').set(row).where('id', '=', eventId).execute();
      if (body.dates) await writeDates(tx, eventId, body.dates);
      const changed = await findEvent(tx, eventId);
      await publish(tx, changed.event);
      return changed;
    });
    return { status: 200, headers: { ETag: `${version}` }, body: event };
  };
