import type { Handler } from '../../generated/handler.ts';
import { findProfile, toProfile } from '../people.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** DELETE /profiles/{username}/follow: follows a user no longer. Repeating it changes nothing. */
export const unfollowUser =
  ({ transaction }: Store): Handler<'unfollowUser'> =>
  async (request) => {
    const caller = request.principal.id;
    const person = await transaction(async (tx) => {
      const followed = found(await findProfile(tx, caller, request.path.username), 'user');
      await tx
        .deleteFrom('follow')
        .where('follower_id', '=', caller)
        .where('followed_id', '=', followed.id)
        .execute();
      return { ...followed, follower_id: null };
    });
    return { status: 200, body: { profile: toProfile(person) } };
  };
