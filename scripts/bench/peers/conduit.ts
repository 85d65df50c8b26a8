/**
 * Four operations of Conduit on Fastify 5, Kysely and better-sqlite3, as their guides show them: SQLite on the main thread,
 * a commit for each request. It has the tables, the queries and the tokens of examples/conduit, pino's log, and request
 * metrics; none of both if LOG_LEVEL is silent.
 */
import Database from 'better-sqlite3';
import Fastify, { type FastifyRequest } from 'fastify';
import { Kysely, SqliteDialect } from 'kysely';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';
import {
  addFavorite,
  findArticle,
  insertArticle,
  listArticles,
  type NewArticle,
} from '../../../examples/conduit/src/articles.ts';
import type { Tables } from '../../../examples/conduit/src/tables.ts';
import { openTokens } from '../../../examples/conduit/src/tokens.ts';
import { announce, DATABASE_FILE } from '../servers/settings.ts';

const database = new Database(DATABASE_FILE);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.pragma('foreign_keys = ON');
const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
const { authenticator } = await openTokens(db);

const isQuiet = process.env.LOG_LEVEL === 'silent';
const app = Fastify({ logger: !isQuiet });

if (!isQuiet) {
  collectDefaultMetrics();
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'How long requests take.',
    labelNames: ['method', 'route', 'status'],
  });
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    duration.observe({ method, route: routeOptions.url ?? '', status: statusCode }, elapsedTime / 1000);
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(register.contentType).send(await register.metrics()),
  );
}

const text = { type: 'string' } as const;
const optional = { type: ['string', 'null'] } as const;
const profile = {
  type: 'object',
  required: ['username', 'bio', 'image', 'following'],
  properties: { username: text, bio: optional, image: optional, following: { type: 'boolean' } },
};
const summary = {
  type: 'object',
  required: [
    'slug',
    'title',
    'description',
    'tagList',
    'createdAt',
    'updatedAt',
    'favorited',
    'favoritesCount',
    'author',
  ],
  properties: {
    ...{ slug: text, title: text, description: text, tagList: { type: 'array', items: text } },
    ...{
      createdAt: text,
      updatedAt: text,
      favorited: { type: 'boolean' },
      favoritesCount: { type: 'integer' },
    },
    author: profile,
  },
};
const article = {
  ...summary,
  required: [...summary.required, 'body'],
  properties: { ...summary.properties, body: text },
};
const one = { type: 'object', required: ['article'], properties: { article } };
const many = {
  type: 'object',
  required: ['articles', 'articlesCount'],
  properties: { articles: { type: 'array', items: summary }, articlesCount: { type: 'integer' } },
};
const newArticle = {
  type: 'object',
  required: ['title', 'description', 'body'],
  properties: {
    title: { ...text, minLength: 1, maxLength: 200 },
    description: { ...text, minLength: 1 },
    body: { ...text, minLength: 1 },
    tagList: { type: 'array', maxItems: 20, items: { ...text, minLength: 1, maxLength: 50 }, default: [] },
  },
};
const page = {
  type: 'object',
  properties: {
    ...{ tag: text, author: text, favorited: text },
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    offset: { type: 'integer', minimum: 0, default: 0 },
  },
};

class Refusal extends Error {
  readonly statusCode: number;
  constructor(statusCode: number, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

app.setErrorHandler<Error & { statusCode?: number }>(({ statusCode = 500, message }, _request, reply) =>
  reply.code(statusCode).send({ errors: { body: [message] } }),
);

/** The id of the caller; 0 without credentials. */
const callerOf = async ({ headers: { authorization } }: FastifyRequest): Promise<bigint> => {
  if (authorization === undefined) return 0n;
  const principal = await authenticator.authenticate(authorization);
  if (!principal) throw new Refusal(401, 'the token is not valid');
  return BigInt(principal.name);
};

const requireCaller = async (request: FastifyRequest): Promise<bigint> => {
  const caller = await callerOf(request);
  if (caller === 0n) throw new Refusal(401, 'there is no token');
  return caller;
};

app.get<{ Params: { slug: string } }>(
  '/api/articles/:slug',
  { schema: { response: { 200: one } } },
  async (request) => {
    const found = await findArticle(db, await callerOf(request), request.params.slug);
    if (!found) throw new Refusal(404, 'there is no such article');
    return { article: found };
  },
);

app.get<{
  Querystring: { limit: number; offset: number; tag?: string; author?: string; favorited?: string };
}>('/api/articles', { schema: { querystring: page, response: { 200: many } } }, async (request) =>
  listArticles(db, await callerOf(request), request.query, request.query),
);

app.post<{ Body: { article: NewArticle } }>(
  '/api/articles',
  {
    schema: {
      body: { type: 'object', required: ['article'], properties: { article: newArticle } },
      response: { 201: one },
    },
  },
  async (request, reply) => {
    const caller = await requireCaller(request);
    const published = await db
      .transaction()
      .execute((tx) => insertArticle(tx, caller, request.body.article))
      .catch((error) => {
        throw error.code === 'SQLITE_CONSTRAINT_UNIQUE' ? new Refusal(409, 'slug is already taken') : error;
      });
    return reply.code(201).send({ article: published });
  },
);

app.post<{ Params: { slug: string } }>(
  '/api/articles/:slug/favorite',
  { schema: { response: { 200: one } } },
  async (request) => {
    const caller = await requireCaller(request);
    const found = await db.transaction().execute((tx) => addFavorite(tx, caller, request.params.slug));
    if (!found) throw new Refusal(404, 'there is no such article');
    return { article: found };
  },
);

announce(await app.listen({ host: '127.0.0.1', port: 0 }));
