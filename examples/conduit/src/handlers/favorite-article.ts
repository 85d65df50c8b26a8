import type { Handler } from '../../generated/handler.ts';
import { findArticle } from '../articles.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** POST /articles/{slug}/favorite: favorites an article. Repeating it changes nothing. */
export const favoriteArticle =
  ({ transaction }: Store): Handler<'favoriteArticle'> =>
  async (request) => {
    const { slug } = request.path;
    const caller = request.principal.id;
    const article = await transaction(async (tx) => {
      await tx
        .insertInto('favorite')
        .columns(['article_id', 'person_id'])
        .expression((eb) =>
          eb
            .selectFrom('article')
            .select(({ val }) => ['article.id', val(caller).as('person_id')])
            .where('slug', '=', slug),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return found(await findArticle(tx, caller, slug), 'article');
    });
    return { status: 200, body: { article } };
  };
