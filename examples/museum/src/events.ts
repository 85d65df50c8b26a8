import type { Kysely, Selectable } from 'kysely';
import type { components } from '../generated/openapi.ts';
import type { Tables } from './store.ts';

/** A special event, as the contract has it. */
export type SpecialEvent = components['schemas']['SpecialEvent'];

/** Reads the dates of events, and gives the events as the contract has them. */
const withDates = async (
  db: Kysely<Tables>,
  events: readonly Selectable<Tables['event']>[],
): Promise<SpecialEvent[]> => {
  if (events.length === 0) return [];
  const ids = events.map(({ id }) => id);
  const rows = await db
    .selectFrom('event_date')
    .select(['event_id', 'date'])
    .where('event_id', 'in', ids)
    .orderBy('position')
    .execute();
  return events.map(({ id, description, ...event }) => ({
    eventId: id,
    ...event,
    eventDescription: description,
    dates: rows.filter(({ event_id }) => event_id === id).map(({ date }) => date),
  }));
};

/** The event with an id, if there is one. */
export const findEvent = async (db: Kysely<Tables>, id: string): Promise<SpecialEvent | undefined> => {
  const events = await db.selectFrom('event').selectAll().where('id', '=', id).execute();
  return (await withDates(db, events))[0];
};

/** Which events are listed. */
export interface EventQuery {
  readonly from: string;
  readonly to: string;
  readonly skipped: number;
  readonly count: number;
}

/** The events with a date in a range, in order of their names. */
export const listEvents = async (
  db: Kysely<Tables>,
  { from, to, skipped, count }: EventQuery,
): Promise<SpecialEvent[]> => {
  const events = await db
    .selectFrom('event')
    .selectAll()
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('event_date')
          .select('position')
          .whereRef('event_id', '=', 'event.id')
          .where('date', '>=', from)
          .where('date', '<=', to),
      ),
    )
    .orderBy('name')
    .orderBy('id')
    .limit(count)
    .offset(skipped)
    .execute();
  return withDates(db, events);
};

/** Writes the dates of an event anew. */
export const writeDates = async (
  db: Kysely<Tables>,
  event_id: string,
  dates: readonly string[],
): Promise<void> => {
  await db.deleteFrom('event_date').where('event_id', '=', event_id).execute();
  if (dates.length === 0) return;
  const rows = dates.map((date, position) => ({ event_id, position: BigInt(position), date }));
  await db.insertInto('event_date').values(rows).execute();
};
