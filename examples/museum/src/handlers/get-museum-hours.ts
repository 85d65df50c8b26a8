import type { Handler } from '../../generated/handler.ts';
import { openDays, today } from '../days.ts';
import { pageOf } from '../pages.ts';

/** GET /museum-hours: the next days on which the museum is open. */
export const getMuseumHours =
  (_needs: unknown): Handler<'getMuseumHours'> =>
  async ({ query: { startDate = today(), page, limit } }) => {
    const { skipped, count } = pageOf(page, limit);
    return { status: 200, body: openDays(startDate, skipped, count) };
  };
