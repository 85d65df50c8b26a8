import type { Handler } from '../../generated/handler.ts';
import { findArticle } from '../articles.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** DELETE /articles/{slug}/favorite: takes a favorite back. Repeating it changes nothing. */
export const unfavoriteArticle =
  ({ transaction }: Store): Handler<'unfavoriteArticle'> =>
  async (request) => {
    const { slug } = request.path;
    const caller = request.principal.id;
    const article = await transaction(async (tx) => {
      await tx
        .deleteFrom('favorite')
        .where('person_id', '=', caller)
        .where('article_id', '=', (eb) => eb.selectFrom('article').select('id').where('slug', '=', slug))
        .execute();
      return found(await findArticle(tx, caller, slug), 'article');
    });
    return { status: 200, body: { article } };
  };
