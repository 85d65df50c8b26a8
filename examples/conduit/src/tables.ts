import type { GeneratedAlways } from 'kysely';

/** The tables that the migrations make. Times are ISO 8601; ids are given by the database. */
export interface Tables {
  person: {
    id: GeneratedAlways<bigint>;
    username: string;
    email: string;
    /** Hashed; see passwords.ts. */
    password: string;
    bio: string | null;
    image: string | null;
  };
  follow: { follower_id: bigint; followed_id: bigint };
  article: {
    id: GeneratedAlways<bigint>;
    slug: string;
    title: string;
    description: string;
    body: string;
    /** A list in JSON, in the order in which the author gave them; `article_tag` is for searching. */
    tags: string;
    author_id: bigint;
    created_at: string;
    updated_at: string;
  };
  article_tag: { article_id: bigint; tag: string };
  favorite: { article_id: bigint; person_id: bigint };
  comment: {
    id: GeneratedAlways<bigint>;
    article_id: bigint;
    author_id: bigint;
    body: string;
    created_at: string;
  };
  /** What signs tokens; it has one row. */
  secret: { id: bigint; value: string };
}
