/** Conduit (examples/conduit) beside the same by hand on Fastify and Kysely: five requests, with logs and without. */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../examples/conduit/src/store.ts';
import { buildExample } from '../pack/example-project.ts';
import { querySqlite } from '../support/query.ts';
import { builtFile } from './build.ts';
import { loadByWrk } from './load.ts';
import { type LoadOptions, type Plan, startOf } from './plan.ts';
import type { Ratio } from './report.ts';
import { runRound } from './round.ts';
import type { Contender } from './rounds.ts';
import { BUILD, type Entry, inFolder, startServer } from './subjects.ts';

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

/** The requests, by name. */
export const CONDUIT_REQUESTS: readonly string[] = Object.keys(REQUESTS);

const QUIET = { LOG_LEVEL: 'silent' };
const PEER = { file: builtFile('conduit'), isPeer: true };

/** The servers. Both log each request and measure it, unless they are quiet; Trellis measures always. */
const SERVERS: readonly Entry[] = [
  { name: 'ours', title: 'Trellis' },
  { name: 'ours-quiet', title: 'Trellis, no log', settings: QUIET },
  { name: 'fastify', title: 'Fastify, Kysely, log, metrics', ...PEER },
  { name: 'fastify-quiet', title: 'Fastify, Kysely', ...PEER, settings: QUIET },
];

/** The servers, by name. */
export const CONDUIT_SERVERS: readonly string[] = SERVERS.map(({ name }) => name);

/** The ratios shown for each request. */
export const CONDUIT_RATIOS: readonly Ratio[] = CONDUIT_REQUESTS.flatMap((request) => {
  const bounds = { rate: { atLeast: 0.95 }, cpu: { atMost: request === 'get' ? 1.1 : 1.15 } };
  const compare = (
    what: string,
    one: string,
    other: string,
    { rate, cpu }: Partial<typeof bounds>,
  ): Ratio[] => [
    { what: `${request}: ${what}`, of: [`${request} ${one}`, `${request} ${other}`], ...rate },
    { what: 'CPU of the same', of: [`${request} ${one}`, `${request} ${other}`, 'cpu'], ...cpu },
  ];
  return [
    ...compare('Trellis / Fastify', 'ours', 'fastify', bounds),
    ...compare('the same without logs', 'ours-quiet', 'fastify-quiet', bounds),
    ...compare('Trellis / the other build', 'ours', 'before', {}),
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

/** One request on one server. Every round has a copy of the seeded store. */
const toContender = (
  entry: Entry,
  name: string,
  { table, ...sent }: Sent,
  { file, tokens }: { readonly file: string; readonly tokens: readonly string[] },
  options: LoadOptions & { readonly node: string },
): Contender => {
  const isWrite = table !== undefined;
  const headers = {
    ...(isWrite && { Authorization: 'Token {token}' }),
    ...(sent.body && { 'Content-Type': 'application/json' }),
  };
  const workload = {
    findWrongAnswers: async () => [],
    rowsBefore: 0,
    plan: (url: string, nth: number, { connections, seconds }: LoadOptions): Plan => ({
      ...{ url, ...sent, headers, tokens: isWrite ? tokens : [], connections, seconds },
      ...{ items: SEED.articles, from: startOf(nth), fromPair: (nth * SEED.articles * SEED.people) / 2 },
    }),
  };
  const round = (folder: string) => {
    const copy = join(folder, 'conduit.db');
    copyFileSync(file, copy);
    const start = () => startServer(entry, options.node, folder, `sqlite:${copy}`);
    const count = (name: string) => Number(querySqlite(copy, `SELECT count(*) AS n FROM ${name}`)[0]?.n);
    const countRows = async () => count(table ?? '') - (table === 'article' ? SEED.articles : 0);
    return runRound({ start, ...(isWrite && { countRows }) }, workload, loadByWrk, options);
  };
  return { name: `${name} ${entry.name}`, title: `${name}: ${entry.title}`, round: () => inFolder(round) };
};

/** Runs some work with the contenders that are chosen by the names of requests and servers. */
export const withConduit = <T>(
  options: LoadOptions & {
    readonly node: string;
    readonly names: readonly string[];
    readonly before?: string | undefined;
  },
  report: (text: string) => void,
  work: (contenders: Contender[]) => Promise<T>,
): Promise<T> =>
  inFolder(async (folder) => {
    const file = join(folder, 'seed.db');
    const store = { file, tokens: await seed(file) };
    const ours = await buildExample('conduit', report);
    const before = options.before !== undefined && {
      name: 'before',
      title: 'Trellis, the other build',
      file: join(options.before, BUILD),
    };
    const chosen = SERVERS.filter(({ name }) => options.names.includes(name));
    const servers = [...chosen.map((entry) => ({ file: ours, ...entry })), ...(before ? [before] : [])];
    const requests = Object.entries(REQUESTS).filter(([name]) => options.names.includes(name));
    return work(
      requests.flatMap(([name, sent]) =>
        servers.map((entry) => toContender(entry, name, sent, store, options)),
      ),
    );
  });
