import type { Handler } from '../../generated/handler.ts';
import { findArticle, slugOf } from '../articles.ts';
import { checkAuthor, found, refuseTaken } from '../refusals.ts';
import type { Store } from '../store.ts';

/** PUT /articles/{slug}: changes the given members of an article; a new title brings a new slug. */
export const updateArticle =
  ({ transaction }: Store): Handler<'updateArticle'> =>
  async (request) => {
    const { article: changes } = request.body;
    const { slug } = request.path;
    const caller = request.principal.id;
    const newSlug = changes.title === undefined ? slug : slugOf(changes.title);
    const article = await transaction(async (tx) => {
      const { author_id } = found(
        await tx.selectFrom('article').select('author_id').where('slug', '=', slug).executeTakeFirst(),
        'article',
      );
      checkAuthor(author_id, caller);
      await tx
        .updateTable('article')
        .set({ ...changes, slug: newSlug, updated_at: new Date().toISOString() })
        .where('slug', '=', slug)
        .execute();
      return found(await findArticle(tx, caller, newSlug), 'article');
    }).catch(refuseTaken);
    return { status: 200, body: { article } };
  };
