import type { Handler } from '../../generated/handler.ts';
import { insertArticle } from '../articles.ts';
import { refuseTaken } from '../refusals.ts';
import type { Store } from '../store.ts';

/** POST /articles: publishes an article, with its tags, or nothing of it. */
export const createArticle =
  ({ transaction }: Store): Handler<'createArticle'> =>
  async ({ principal, body }) => {
    const publish = transaction((tx) => insertArticle(tx, principal.id, body.article));
    return { status: 201, body: { article: await publish.catch(refuseTaken) } };
  };
