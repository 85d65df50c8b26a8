import { Problem } from '@trellis/server';
import type { Kysely, Selectable } from 'kysely';
import type { components } from '../generated/openapi.ts';
import type { Tables } from './store.ts';

/** A special event, as the contract has it. */
type SpecialEvent = components['schemas']['SpecialEvent'];

/** An event with what clients see only as its ETag and in cursors. */
export interface HeldEvent {
  readonly event: SpecialEvent & { readonly eventId: string };
  readonly created: bigint;
  readonly version: bigint;
}

/** Reads the dates of events. */
const withDates = async (
  db: Kysely<Tables>,
  rows: readonly Selectable<Tables['event']>[],
): Promise<HeldEvent[]> => {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const dates = await db
    .selectFrom('event_date')
    .select(['event_id', 'date'])
    .where('event_id', 'in', ids)
    .orderBy('position')
    .execute();
  return rows.map(({ id, name, location, description, price, created, version }) => ({
    event: {
      eventId: id,
      name,
      location,
      eventDescription: description,
      price,
      dates: dates.filter(({ event_id }) => event_id === id).map(({ date }) => date),
    },
    created,
    version,
  }));
};

/** Finds an event by id. Throws a 404 if it does not exist. */
export const findEvent = async (db: Kysely<Tables>, id: string): Promise<HeldEvent> => {
  const rows = await db.selectFrom('event').selectAll().where('id', '=', id).execute();
  const [held] = await withDates(db, rows);
  if (held) return held;
  throw new Problem(40401, 'there is no such event');
};

/** Which events are listed. */
export interface EventQuery {
  readonly from: string;
  readonly to: string;
  readonly skipped: number;
  readonly count: number;
  /** The last event of the page before. */
  readonly after: { readonly created: bigint; readonly id: string } | undefined;
}

/** The events with a date in a range, in the order in which they were created. */
export const listEvents = async (
  db: Kysely<Tables>,
  { from, to, skipped, count, after }: EventQuery,
): Promise<HeldEvent[]> => {
  const rows = await db
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
    .$if(after !== undefined, (events) =>
      events.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created', 'id'), '>', tuple(after?.created ?? 0n, after?.id ?? '')),
      ),
    )
    .orderBy('created')
    .orderBy('id')
    .limit(count)
    .offset(skipped)
    .execute();
  return withDates(db, rows);
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
