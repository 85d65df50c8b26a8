import type { Handler } from '../../generated/handler.ts';
import { findProfile, toProfile } from '../people.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** POST /profiles/{username}/follow: follows a user. Repeating it changes nothing. */
export const followUser =
  ({ transaction }: Store): Handler<'followUser'> =>
  async (request) => {
    const follower_id = request.principal.id;
    const person = await transaction(async (tx) => {
      const followed = found(await findProfile(tx, follower_id, request.path.username), 'user');
      await tx
        .insertInto('follow')
        .values({ follower_id, followed_id: followed.id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return { ...followed, follower_id };
    });
    return { status: 200, body: { profile: toProfile(person) } };
  };
