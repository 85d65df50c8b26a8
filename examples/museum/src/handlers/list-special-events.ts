import { decodeCursor, encodeCursor, link } from '@trellis/server/http';
import type { Handler } from '../../generated/handler.ts';
import { daysAfter, today } from '../days.ts';
import { listEvents } from '../events.ts';
import { pageOf } from '../pages.ts';
import type { Store } from '../store.ts';

/** Reads a cursor: when the last event of a page was created, and its id. */
const readKey = (value: unknown) => {
  const [, created, id] = /^(\d{1,18}) ([\da-f-]{36})$/.exec(String(value)) ?? [];
  return created !== undefined && id !== undefined ? { created: BigInt(created), id } : undefined;
};

/** GET /special-events: the events of a week, or of any other time, and a link to those that follow. */
export const listSpecialEvents =
  ({ db }: Store): Handler<'listSpecialEvents'> =>
  async ({ query: { startDate: from = today(), endDate: to = daysAfter(from, 7), page, limit, cursor } }) => {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, readKey);
    const { skipped, count } = pageOf(after ? 1 : page, limit);
    const found = await listEvents(db, { from, to, after, skipped, count: count + 1 });
    const events = found.slice(0, count);
    const last = found.length > count ? events.at(-1) : undefined;
    const key = last && encodeCursor(`${last.created} ${last.event.eventId}`);
    const next = key && `?startDate=${from}&endDate=${to}&limit=${count}&cursor=${key}`;
    return {
      status: 200,
      headers: { ...(next && { Link: link({ next }) }) },
      body: events.map(({ event }) => event),
    };
  };
