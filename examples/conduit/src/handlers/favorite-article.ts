import type { Handler } from '../../generated/handler.ts';
import { addFavorite } from '../articles.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** POST /articles/{slug}/favorite: favorites an article. Repeating it changes nothing. */
export const favoriteArticle =
  ({ transaction }: Store): Handler<'favoriteArticle'> =>
  async ({ principal, path }) => {
    const article = await transaction((tx) => addFavorite(tx, principal.id, path.slug));
    return { status: 200, body: { article: found(article, 'article') } };
  };
