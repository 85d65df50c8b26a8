import type { Handler } from '../../generated/handler.ts';
import { listArticles as findArticles } from '../articles.ts';
import { callerOf } from '../people.ts';
import type { Store } from '../store.ts';

/** GET /articles: a page of all articles, or of some. */
export const listArticles =
  ({ db }: Store): Handler<'listArticles'> =>
  async (request) => {
    const { limit, offset, ...filter } = request.query;
    return { status: 200, body: await findArticles(db, callerOf(request), filter, { limit, offset }) };
  };
