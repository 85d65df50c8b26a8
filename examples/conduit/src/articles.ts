import type { Kysely } from 'kysely';
import { toProfile } from './people.ts';
import type { Tables } from './tables.ts';

/** What no article can have as its slug: nothing, and the path of the feed. */
const RESERVED = ['', 'feed'];

/** The slug of a title: its letters and digits, of any alphabet. */
export const slugOf = (title: string): string => {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return RESERVED.includes(slug) ? `article-${slug}` : slug;
};

/** Articles with their authors, as a caller sees them. */
const selectArticles = (db: Kysely<Tables>, caller: bigint) =>
  db
    .selectFrom('article')
    .innerJoin('person', 'person.id', 'author_id')
    .leftJoin('follow', (join) => join.onRef('followed_id', '=', 'author_id').on('follower_id', '=', caller))
    .leftJoin('favorite as mine', (join) =>
      join.onRef('mine.article_id', '=', 'article.id').on('mine.person_id', '=', caller),
    )
    .select(['slug', 'title', 'description', 'tags', 'created_at', 'updated_at'])
    .select(['username', 'bio', 'image', 'follower_id', 'mine.person_id as favorited_by'])
    .select(({ selectFrom, fn }) =>
      selectFrom('favorite')
        .select(fn.countAll<bigint>().as('count'))
        .whereRef('favorite.article_id', '=', 'article.id')
        .as('favorites'),
    );

type SummaryRow = Awaited<ReturnType<ReturnType<typeof selectArticles>['executeTakeFirstOrThrow']>>;

const toSummary = (row: SummaryRow) => ({
  slug: row.slug,
  title: row.title,
  description: row.description,
  tagList: JSON.parse(row.tags) as string[],
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  favorited: row.favorited_by !== null,
  favoritesCount: row.favorites ?? 0n,
  author: toProfile(row),
});

/** The article with a slug, as a caller sees it. */
export const findArticle = async (db: Kysely<Tables>, caller: bigint, slug: string) => {
  const row = await selectArticles(db, caller).select('body').where('slug', '=', slug).executeTakeFirst();
  return row && { ...toSummary(row), body: row.body };
};

/** Which articles are listed. */
export interface ArticleFilter {
  readonly tag?: string | undefined;
  /** The usernames of the author, and of a user who favorited them. */
  readonly author?: string | undefined;
  readonly favorited?: string | undefined;
  /** The id of a user who follows their authors. */
  readonly follower?: bigint | undefined;
}

/** The ids of the articles that pass a filter. */
const filterArticles = (db: Kysely<Tables>, { tag, author, favorited, follower }: ArticleFilter) =>
  db
    .selectFrom('article')
    .$if(tag !== undefined, (articles) =>
      articles.where('id', 'in', (eb) =>
        eb
          .selectFrom('article_tag')
          .select('article_id')
          .where('tag', '=', tag ?? ''),
      ),
    )
    .$if(author !== undefined, (articles) =>
      articles.where('author_id', 'in', (eb) =>
        eb
          .selectFrom('person')
          .select('id')
          .where('username', '=', author ?? ''),
      ),
    )
    .$if(favorited !== undefined, (articles) =>
      articles.where('id', 'in', (eb) =>
        eb
          .selectFrom('favorite')
          .innerJoin('person', 'person.id', 'person_id')
          .select('article_id')
          .where('username', '=', favorited ?? ''),
      ),
    )
    .$if(follower !== undefined, (articles) =>
      articles.where('author_id', 'in', (eb) =>
        eb
          .selectFrom('follow')
          .select('followed_id')
          .where('follower_id', '=', follower ?? 0n),
      ),
    );

/** A page of the articles that pass a filter, the newest first, and how many do. */
export const listArticles = async (
  db: Kysely<Tables>,
  caller: bigint,
  filter: ArticleFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
) => {
  const passing = filterArticles(db, filter);
  const page = passing.select('id').orderBy('id', 'desc').limit(limit).offset(offset);
  const [rows, { count }] = await Promise.all([
    selectArticles(db, caller).where('article.id', 'in', page).orderBy('article.id', 'desc').execute(),
    passing.select(({ fn }) => fn.countAll<bigint>().as('count')).executeTakeFirstOrThrow(),
  ]);
  return { articles: rows.map(toSummary), articlesCount: count };
};

/** An article as its author writes it. */
export interface NewArticle {
  readonly title: string;
  readonly description: string;
  readonly body: string;
  readonly tagList: readonly string[];
}

/** Inserts an article with its tags, and gives it as its author sees it. */
export const insertArticle = async (
  tx: Kysely<Tables>,
  authorId: bigint,
  { title, description, body, tagList }: NewArticle,
) => {
  const [slug, now] = [slugOf(title), new Date().toISOString()];
  const tags = [...new Set(tagList)];
  const row = {
    ...{ slug, title, description, body, tags: JSON.stringify(tags) },
    ...{ created_at: now, updated_at: now },
  };
  const author = await tx
    .selectFrom('person')
    .select(['id', 'username', 'bio', 'image'])
    .where('id', '=', authorId)
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
  return {
    ...{ slug, title, description, body, tagList: tags, createdAt: now, updatedAt: now },
    ...{ favorited: false, favoritesCount: 0n, author: toProfile({ ...author, follower_id: null }) },
  };
};

/** Favorites an article, unless the caller has done so already, and returns it; `undefined` if the article does not exist. */
export const addFavorite = async (tx: Kysely<Tables>, caller: bigint, slug: string) => {
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
  return findArticle(tx, caller, slug);
};
