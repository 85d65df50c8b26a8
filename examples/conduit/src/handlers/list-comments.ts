import type { Handler } from '../../generated/handler.ts';
import { listComments as findComments } from '../comments.ts';
import { callerOf } from '../people.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** GET /articles/{slug}/comments: the comments on an article, the newest first. */
export const listComments =
  ({ db }: Store): Handler<'listComments'> =>
  async (request) => {
    const { slug } = request.path;
    found(await db.selectFrom('article').select('id').where('slug', '=', slug).executeTakeFirst(), 'article');
    return { status: 200, body: { comments: await findComments(db, callerOf(request), { slug }) } };
  };
