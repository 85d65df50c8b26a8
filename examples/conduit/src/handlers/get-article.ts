import type { Handler } from '../../generated/handler.ts';
import { findArticle } from '../articles.ts';
import { callerOf } from '../people.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** GET /articles/{slug}: an article, as the caller sees it. */
export const getArticle =
  ({ db }: Store): Handler<'getArticle'> =>
  async (request) => {
    const article = found(await findArticle(db, callerOf(request), request.path.slug), 'article');
    return { status: 200, body: { article } };
  };
