import { type DataConfig, type DataOptions, openData } from '@trellis/data';
import type { Tables } from './tables.ts';
import { openTokens } from './tokens.ts';

/** A table whose ids the database gives. An id is never given again. */
const withId = (name: string, columns: string) => ({
  sqlite: `CREATE TABLE ${name} (id integer PRIMARY KEY AUTOINCREMENT, ${columns})`,
  postgres: `CREATE TABLE ${name} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${columns})`,
});

/** The schema of the database. */
export const SCHEMA = {
  name: 'conduit data',
  migrations: [
    withId(
      'person',
      'username text NOT NULL UNIQUE, email text NOT NULL UNIQUE, password text NOT NULL, bio text, image text',
    ),
    `CREATE TABLE follow (follower_id bigint NOT NULL REFERENCES person (id),
      followed_id bigint NOT NULL REFERENCES person (id), PRIMARY KEY (follower_id, followed_id))`,
    withId(
      'article',
      `slug text NOT NULL UNIQUE, title text NOT NULL, description text NOT NULL, body text NOT NULL, tags text NOT NULL,
      author_id bigint NOT NULL REFERENCES person (id), created_at text NOT NULL, updated_at text NOT NULL`,
    ),
    'CREATE INDEX article_by_author ON article (author_id, id)',
    `CREATE TABLE article_tag (article_id bigint NOT NULL REFERENCES article (id) ON DELETE CASCADE, tag text NOT NULL,
      PRIMARY KEY (tag, article_id))`,
    'CREATE INDEX article_tag_by_article ON article_tag (article_id)',
    `CREATE TABLE favorite (article_id bigint NOT NULL REFERENCES article (id) ON DELETE CASCADE,
      person_id bigint NOT NULL REFERENCES person (id), PRIMARY KEY (article_id, person_id))`,
    'CREATE INDEX favorite_by_person ON favorite (person_id, article_id)',
    withId(
      'comment',
      `article_id bigint NOT NULL REFERENCES article (id) ON DELETE CASCADE,
      author_id bigint NOT NULL REFERENCES person (id), body text NOT NULL, created_at text NOT NULL`,
    ),
    'CREATE INDEX comment_by_article ON comment (article_id, id)',
    'CREATE TABLE secret (id bigint PRIMARY KEY, value text NOT NULL)',
  ],
};

/** Opens the database that DATABASE_URL names: sqlite:PATH, postgres://… or memory: */
export const openStore = async (config: DataConfig, options?: DataOptions) => {
  const data = await openData<Tables>(config, SCHEMA, options);
  return { ...data, tokens: await openTokens(data.db) };
};

/** Where Conduit keeps its data, and what signs and checks its tokens. */
export type Store = Awaited<ReturnType<typeof openStore>>;
