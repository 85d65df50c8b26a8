import type { Handler } from '../../generated/handler.ts';
import { findEvent, writeDates } from '../events.ts';
import { problem } from '../problems.ts';
import type { Store } from '../store.ts';

/** PATCH /special-events/{eventId}: changes the fields that are given. */
export const updateSpecialEvent =
  ({ transaction, publish }: Store): Handler<'updateSpecialEvent'> =>
  async ({ path: { eventId }, body: { dates, ...fields } }) => {
    const event = await transaction(async (tx) => {
      const held = await findEvent(tx, eventId);
      if (!held) return undefined;
      const { name, location, eventDescription: description, price } = { ...held, ...fields };
      const row = { name, location, description, price };
      await tx.updateTable('event').set(row).where('id', '=', eventId).execute();
      if (dates) await writeDates(tx, eventId, dates);
      const changed = await findEvent(tx, eventId);
      if (changed) await publish(tx, changed);
      return changed;
    });
    return event ? { status: 200, body: event } : { status: 404, body: problem('There is no such event') };
  };
