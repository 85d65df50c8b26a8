/** Conduit (examples/conduit) beside the same by hand on Fastify and Kysely: five requests, with logs and without. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../examples/conduit/src/store.ts';
import { buildExample } from '../pack/example-project.ts';
import { querySqlite } from '../support/query.ts';
import { builtFile } from './build.ts';
import { type LoadOptions, type Plan, startOf } from './plan.ts';
import type { Bench, Ratio } from './report.ts';
import type { Workload } from './round.ts';
import { runRounds } from './rounds.ts';
import { chooseEntries, type Entry, inFolder, type RoundStore, toContender } from './subjects.ts';

/** Rows in the store before a round. */
const SEED = { articles: 2000, people: 100, tags: 50 } as const;

type Sent = Pick<Plan, 'method' | 'path' | 'body' | 'status' | 'expected'> & {
  /** The table that has a row for each request. */
  readonly table?: 'article' | 'favorite';
};

const read = { method: 'GET', body: '', status: 200 };

/** The measured requests. Every favorite is a new one. */
const REQUESTS = {
  get: { ...read, path: '/api/articles/article-{item}', expected: '{"article":{"slug":"article-' },
  list: { ...read, path: '/api/articles', expected: `"articlesCount":${SEED.articles}` },
  tag: { ...read, path: '/api/articles?tag=tag-7', expected: `"articlesCount":${SEED.articles / SEED.tags}` },
  create: {
    method: 'POST',
    path: '/api/articles',
    body: '{"article":{"title":"Article {n}","description":"Of figs","body":"Prune them.","tagList":["fig","tree"]}}',
    status: 201,
    expected: '"favoritesCount":0',
    table: 'article',
  },
  favorite: {
    method: 'POST',
    path: '/api/articles/article-{item}/favorite',
    body: '',
    status: 200,
    expected: '"favorited":true',
    table: 'favorite',
  },
} satisfies Record<string, Sent>;

const QUIET = { LOG_LEVEL: 'silent' };
const PEER = { file: builtFile('conduit'), isPeer: true };

/** The servers. Both log each request and measure it, unless they are quiet; Trellis measures always. */
const SERVERS: readonly Entry[] = [
  { name: 'ours', title: 'Trellis' },
  { name: 'ours-quiet', title: 'Trellis, no log', settings: QUIET },
  { name: 'fastify', title: 'Fastify, Kysely, log, metrics', ...PEER },
  { name: 'fastify-quiet', title: 'Fastify, Kysely', ...PEER, settings: QUIET },
];

/** The ratios shown for each request. */
const RATIOS: readonly Ratio[] = Object.keys(REQUESTS).flatMap((request) => {
  const bounds = [{ atLeast: 0.95 }, { atMost: request === 'get' ? 1.1 : 1.15 }];
  const compare = (what: string, one: string, other: string, [rate, cpu] = bounds): Ratio[] => [
    { what: `${request}: ${what}`, of: [`${request} ${one}`, `${request} ${other}`], ...rate },
    { what: 'CPU of the same', of: [`${request} ${one}`, `${request} ${other}`, 'cpu'], ...cpu },
  ];
  return [
    ...compare('Trellis / Fastify', 'ours', 'fastify'),
    ...compare('the same without logs', 'ours-quiet', 'fastify-quiet'),
    ...compare('Trellis / the other build', 'ours', 'before', []),
  ];
});

const range = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Fills a store; returns a token for each user. */
const seed = async (file: string): Promise<string[]> => {
  const { db, tokens, close } = await openStore({ databaseUrl: `sqlite:${file}` });
  const people = range(SEED.people, (nth) => {
    const username = `user-${nth}`;
    return { username, email: `${username}@example.com`, password: '' };
  });
  const ids = await db.insertInto('person').values(people).returning('id').execute();
  const now = new Date().toISOString();
  const articles = range(SEED.articles, (nth) => ({
    ...{
      slug: `article-${nth}`,
      title: `Article ${nth}`,
      description: 'Of figs',
      body: 'Prune them. '.repeat(50),
    },
    tags: JSON.stringify([`tag-${nth % SEED.tags}`]),
    ...{ author_id: ids[nth % ids.length]?.id ?? 0n, created_at: now, updated_at: now },
  }));
  const made = await db.insertInto('article').values(articles).returning('id').execute();
  const tags = made.map(({ id }, nth) => ({ article_id: id, tag: `tag-${nth % SEED.tags}` }));
  await db.insertInto('article_tag').values(tags).execute();
  await close();
  return ids.map(({ id }) => tokens.sign(id));
};

const workloadOf = ({ table, ...sent }: Sent, tokens: readonly string[]): Workload => {
  const headers = {
    ...(table && { Authorization: 'Token {token}' }),
    ...(sent.body && { 'Content-Type': 'application/json' }),
  };
  return {
    findWrongAnswers: async () => [],
    rowsBefore: 0,
    plan: (url: string, nth: number, { connections, seconds }: LoadOptions): Plan => ({
      ...{ url, ...sent, headers, tokens: table ? tokens : [], connections, seconds },
      ...{ items: SEED.articles, from: startOf(nth), fromPair: (nth * SEED.articles * SEED.people) / 2 },
    }),
  };
};

/** Every round has a copy of the seeded store. */
const copyStore = (file: string, folder: string, { table }: Sent): RoundStore => {
  const copy = join(folder, 'conduit.db');
  copyFileSync(file, copy);
  const count = () => Number(querySqlite(copy, `SELECT count(*) AS n FROM ${table}`)[0]?.n);
  const countRows = async () => count() - (table === 'article' ? SEED.articles : 0);
  return { databaseUrl: `sqlite:${copy}`, ...(table && { countRows }) };
};

/** Each chosen request on each chosen server. */
export const CONDUIT: Bench = {
  names: [Object.keys(REQUESTS), SERVERS.map(({ name }) => name)],
  connections: '16',
  ratios: RATIOS,
  run: (options) =>
    inFolder(async (folder) => {
      const file = join(folder, 'seed.db');
      const tokens = await seed(file);
      const ours = await buildExample('conduit', options.report);
      const entries = chooseEntries(SERVERS, options, 'Trellis').map((entry) => ({ file: ours, ...entry }));
      const requests = Object.entries<Sent>(REQUESTS).filter(([name]) => options.names.includes(name));
      const contenders = requests.flatMap(([name, sent]) =>
        entries.map((entry) => {
          const named = { ...entry, name: `${name} ${entry.name}`, title: `${name}: ${entry.title}` };
          const open = (copies: string) => copyStore(file, copies, sent);
          return toContender(named, workloadOf(sent, tokens), open, options);
        }),
      );
      return runRounds(contenders, options);
    }),
};
