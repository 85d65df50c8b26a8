import type { Handler } from '../../generated/handler.ts';
import { daysAfter, today } from '../days.ts';
import { listEvents } from '../events.ts';
import { pageOf } from '../pages.ts';
import type { Store } from '../store.ts';

/** GET /special-events: the events of a week, or of any other time. */
export const listSpecialEvents =
  ({ db }: Store): Handler<'listSpecialEvents'> =>
  async ({ query: { startDate: from = today(), endDate: to = daysAfter(from, 7), page, limit } }) => {
    const { skipped, count } = pageOf(page, limit);
    return { status: 200, body: await listEvents(db, { from, to, skipped, count }) };
  };
