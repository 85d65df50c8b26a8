import { Problem } from '@trellis/server';
import type { Handler } from '../../generated/handler.ts';
import { isPassword } from '../passwords.ts';
import { toUser } from '../people.ts';
import type { Store } from '../store.ts';

/** POST /users/login: gives a token to a user with the right password. */
export const login =
  (store: Store): Handler<'login'> =>
  async ({ body: { user } }) => {
    const person = await store.db
      .selectFrom('person')
      .selectAll()
      .where('email', '=', user.email)
      .executeTakeFirst();
    if (!(await isPassword(user.password, person?.password)) || !person)
      throw new Problem(40103, 'email or password is wrong');
    return { status: 200, body: { user: toUser(person, store) } };
  };
