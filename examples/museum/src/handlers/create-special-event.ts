import { randomUUID } from 'node:crypto';
import type { Handler } from '../../generated/handler.ts';
import { writeDates } from '../events.ts';
import type { Store } from '../store.ts';

/** POST /special-events: adds an event under a new id. */
export const createSpecialEvent =
  ({ transaction, publish }: Store): Handler<'createSpecialEvent'> =>
  async ({ body: { name, location, eventDescription, dates, price } }) => {
    const eventId = randomUUID();
    const event = { eventId, name, location, eventDescription, dates, price };
    const row = { id: eventId, name, location, description: eventDescription, price };
    const [created, version] = [BigInt(Date.now()), 1n];
    await transaction(async (tx) => {
      await tx
        .insertInto('event')
        .values({ ...row, created, version })
        .execute();
      await writeDates(tx, eventId, dates);
      await publish(tx, event);
    });
    return { status: 201, headers: { ETag: `${version}` }, body: event };
  };
