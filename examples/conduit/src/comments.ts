import type { Kysely } from 'kysely';
import { toProfile } from './people.ts';
import type { Tables } from './tables.ts';

/** The comments on an article, or one by its id, as a caller sees them: the newest first. */
export const listComments = async (
  db: Kysely<Tables>,
  caller: bigint,
  { slug, id }: { readonly slug?: string; readonly id?: bigint },
) => {
  const rows = await db
    .selectFrom('comment')
    .innerJoin('person', 'person.id', 'comment.author_id')
    .innerJoin('article', 'article.id', 'article_id')
    .leftJoin('follow', (join) => join.onRef('followed_id', '=', 'person.id').on('follower_id', '=', caller))
    .select(['comment.id', 'comment.body', 'comment.created_at', 'username', 'bio', 'image', 'follower_id'])
    .$if(slug !== undefined, (comments) => comments.where('slug', '=', slug ?? ''))
    .$if(id !== undefined, (comments) => comments.where('comment.id', '=', id ?? 0n))
    .orderBy('comment.id', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    createdAt: row.created_at,
    updatedAt: row.created_at,
    body: row.body,
    author: toProfile(row),
  }));
};
