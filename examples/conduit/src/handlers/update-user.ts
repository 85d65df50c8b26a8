import type { Handler } from '../../generated/handler.ts';
import { hashPassword } from '../passwords.ts';
import { toUser } from '../people.ts';
import { refuseTaken } from '../refusals.ts';
import type { Store } from '../store.ts';

/** PUT /user: changes the given members of the caller. */
export const updateUser =
  (store: Store): Handler<'updateUser'> =>
  async (request) => {
    const { password, ...changes } = request.body.user;
    const hashed = password !== undefined && { password: await hashPassword(password) };
    const person = await store
      .transaction(async (tx) => {
        const { id, ...row } = await tx
          .selectFrom('person')
          .selectAll()
          .where('id', '=', request.principal.id)
          .executeTakeFirstOrThrow();
        const changed = { ...row, ...changes, ...hashed };
        await tx.updateTable('person').set(changed).where('id', '=', id).execute();
        return { ...changed, id };
      })
      .catch(refuseTaken);
    return { status: 200, body: { user: toUser(person, store) } };
  };
