import type { Handler } from '../../generated/handler.ts';
import { callerOf, findProfile, toProfile } from '../people.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** GET /profiles/{username}: a user, as the caller sees it. */
export const getProfile =
  ({ db }: Store): Handler<'getProfile'> =>
  async (request) => {
    const person = found(await findProfile(db, callerOf(request), request.path.username), 'user');
    return { status: 200, body: { profile: toProfile(person) } };
  };
