import type { Handler } from '../../generated/handler.ts';
import type { Store } from '../store.ts';

/** GET /tags: the tags of all articles. */
export const listTags =
  ({ db }: Store): Handler<'listTags'> =>
  async () => {
    const rows = await db.selectFrom('article_tag').select('tag').distinct().orderBy('tag').execute();
    return { status: 200, body: { tags: rows.map(({ tag }) => tag) } };
  };
