import type { Handler } from '../../generated/handler.ts';
import { listArticles } from '../articles.ts';
import type { Store } from '../store.ts';

/** GET /articles/feed: a page of the articles of users that the caller follows. */
export const listFeed =
  ({ db }: Store): Handler<'listFeed'> =>
  async (request) => {
    const caller = request.principal.id;
    return { status: 200, body: await listArticles(db, caller, { follower: caller }, request.query) };
  };
