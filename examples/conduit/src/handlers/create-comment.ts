import type { Handler } from '../../generated/handler.ts';
import { listComments } from '../comments.ts';
import { found } from '../refusals.ts';
import type { Store } from '../store.ts';

/** POST /articles/{slug}/comments: adds a comment. */
export const createComment =
  ({ transaction }: Store): Handler<'createComment'> =>
  async (request) => {
    const caller = request.principal.id;
    const { body } = request.body.comment;
    const created_at = new Date().toISOString();
    const comment = await transaction(async (tx) => {
      const article = await tx
        .selectFrom('article')
        .select('id')
        .where('slug', '=', request.path.slug)
        .executeTakeFirst();
      const { id } = await tx
        .insertInto('comment')
        .values({ article_id: found(article, 'article').id, author_id: caller, body, created_at })
        .returning('id')
        .executeTakeFirstOrThrow();
      const [comment] = await listComments(tx, caller, { id });
      return found(comment, 'comment');
    });
    return { status: 200, body: { comment } };
  };
