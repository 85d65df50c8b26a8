import type { Handler } from '../../generated/handler.ts';
import type { Store } from '../store.ts';

/** GET /sales/watchers: how many clients watch. */
export const countWatchers =
  ({ watchers }: Store): Handler<'countWatchers'> =>
  async () => ({ status: 200, body: watchers.size });
