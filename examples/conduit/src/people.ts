import type { Kysely, Selectable } from 'kysely';
import type { Principal } from './principal.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** The id of the caller of an operation that needs no token; 0, which no user has, without one. */
export const callerOf = ({ principal }: { readonly principal: Principal | undefined }): bigint =>
  principal?.id ?? 0n;

/** A user as only the user sees it, with a new token. */
export const toUser = (
  { id, username, email, bio, image }: Selectable<Tables['person']>,
  { tokens }: Pick<Store, 'tokens'>,
) => ({ username, email, bio, image, token: tokens.sign(id) });

/** A user as a caller sees it, with the id. */
export const findProfile = (db: Kysely<Tables>, caller: bigint, username: string) =>
  db
    .selectFrom('person')
    .leftJoin('follow', (join) => join.onRef('followed_id', '=', 'person.id').on('follower_id', '=', caller))
    .select(['id', 'username', 'bio', 'image', 'follower_id'])
    .where('username', '=', username)
    .executeTakeFirst();

/** A row with the profile of a user. */
interface ProfileRow {
  readonly username: string;
  readonly bio: string | null;
  readonly image: string | null;
  /** The caller, if that follows the user. */
  readonly follower_id: bigint | null;
}

/** The profile in a row. */
export const toProfile = ({ username, bio, image, follower_id }: ProfileRow) => ({
  username,
  bio,
  image,
  following: follower_id !== null,
});
