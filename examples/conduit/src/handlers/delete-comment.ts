import type { Handler } from '../../generated/handler.ts';
import { checkAuthor, found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** DELETE /articles/{slug}/comments/{id}: deletes a comment. */
export const deleteComment =
  ({ transaction }: Store): Handler<'deleteComment'> =>
  async (request) => {
    const { slug, id } = request.path;
    await transaction(async (tx) => {
      const comment = await tx
        .selectFrom('comment')
        .innerJoin('article', 'article.id', 'article_id')
        .select('comment.author_id')
        .where('comment.id', '=', id)
        .where('slug', '=', slug)
        .executeTakeFirst();
      checkAuthor(found(comment, 'comment').author_id, request.principal.id);
      await tx.deleteFrom('comment').where('id', '=', id).execute();
    });
    return { status: 204 };
  };
