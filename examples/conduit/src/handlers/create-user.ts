import type { Handler } from '../../generated/handler.ts';
import { hashPassword } from '../passwords.ts';
import { toUser } from '../people.ts';
import { refuseTaken } from '../refusals.ts';
import type { Store } from '../store.ts';

/** POST /users: registers a user. */
export const createUser =
  (store: Store): Handler<'createUser'> =>
  async ({ body }) => {
    const { username, email, password } = body.user;
    const row = { username, email, password: await hashPassword(password) };
    const person = await store.db
      .insertInto('person')
      .values(row)
      .returningAll()
      .executeTakeFirstOrThrow()
      .catch(refuseTaken);
    return { status: 201, body: { user: toUser(person, store) } };
  };
