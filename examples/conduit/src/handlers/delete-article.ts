import type { Handler } from '../../generated/handler.ts';
import { checkAuthor, found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** DELETE /articles/{slug}: deletes an article, with its comments and favorites. */
export const deleteArticle =
  ({ transaction }: Store): Handler<'deleteArticle'> =>
  async (request) => {
    await transaction(async (tx) => {
      const { id, author_id } = found(
        await tx
          .selectFrom('article')
          .select(['id', 'author_id'])
          .where('slug', '=', request.path.slug)
          .executeTakeFirst(),
        'article',
      );
      checkAuthor(author_id, request.principal.id);
      await tx.deleteFrom('article').where('id', '=', id).execute();
    });
    return { status: 204 };
  };
