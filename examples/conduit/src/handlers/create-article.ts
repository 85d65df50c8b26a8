import type { Handler } from '../../generated/handler.ts';
import { slugOf } from '../articles.ts';
import { toProfile } from '../people.ts';
import { refuseTaken } from '../refusals.ts';
import type { Store } from '../store.ts';

/** POST /articles: publishes an article, with its tags, or nothing of it. */
export const createArticle =
  ({ transaction }: Store): Handler<'createArticle'> =>
  async (request) => {
    const { title, description, body, tagList } = request.body.article;
    const [slug, now] = [slugOf(title), new Date().toISOString()];
    const tags = [...new Set(tagList)];
    const row = {
      slug,
      title,
      description,
      body,
      tags: JSON.stringify(tags),
      created_at: now,
      updated_at: now,
    };
    const author = await transaction(async (tx) => {
      const author = await tx
        .selectFrom('person')
        .select(['id', 'username', 'bio', 'image'])
        .where('id', '=', request.principal.id)
        .executeTakeFirstOrThrow();
      const { id } = await tx
        .insertInto('article')
        .values({ ...row, author_id: author.id })
        .returning('id')
        .executeTakeFirstOrThrow();
      if (tags.length > 0)
        await tx
          .insertInto('article_tag')
          .values(tags.map((tag) => ({ article_id: id, tag })))
          .execute();
      return author;
    }).catch(refuseTaken);
    const article = { slug, title, description, body, tagList: tags, createdAt: now, updatedAt: now };
    const profile = toProfile({ ...author, follower_id: null });
    return {
      status: 201,
      body: { article: { ...article, favorited: false, favoritesCount: 0n, author: profile } },
    };
  };
