import type { Handler } from '../../generated/handler.ts';
import { toUser } from '../people.ts';
import type { Store } from '../store.ts';

/** GET /user: the caller. */
export const getUser =
  (store: Store): Handler<'getUser'> =>
  async (request) => {
    const person = await store.db
      .selectFrom('person')
      .selectAll()
      .where('id', '=', request.principal.id)
      .executeTakeFirstOrThrow();
    return { status: 200, body: { user: toUser(person, store) } };
  };
