import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { toJson } from '@trellis/openapi/internal/json';
import { createContract } from '../../src/document/contract.ts';
import { operationsOf } from '../../src/document/operations.ts';
import { readSources } from '../../src/document/sources.ts';
import { isObject, type Json, parseJson } from '../../src/values/json.ts';

/** The contract of the shop. */
export const shopContract = createContract(
  await readSources(fileURLToPath(new URL('shop.yaml', import.meta.url))),
);

export const SHOP_TOKEN = 'a-token-for-the-shop';

type Members = { readonly [name: string]: Json };
type Store = Map<string, Members>;

/** The behaviour of a shop; a test may replace each part by a wrong one. */
export interface Keeping {
  /** Returns the value of a member to store. */
  readonly kept: (name: string, value: Json) => Json;
  /** Returns the members to store for a new thing. */
  readonly created: (store: Store, id: string, thing: Members) => void;
  /** Returns the members to store for a replace. */
  readonly replaced: (old: Members, sent: Members) => Members;
  readonly patched: (old: Members, sent: Members) => Members;
  readonly deleted: (store: Store, id: string) => void;
  readonly found: (store: Store, id: string) => Members | undefined;
  readonly listed: (things: Members[]) => Members[];
  readonly page: (things: Members[], offset: number, limit: number) => Members[];
  readonly matches: (thing: Members, kind: string | null) => boolean;
  readonly total: (count: number) => number;
  readonly nextId: (count: number) => string;
  readonly missing: (isDelete: boolean) => number;
  /** Whether a rejected request is performed anyway. */
  readonly obeys: (refused: { status: number; method: string }) => boolean;
  /** Returns an existing thing instead of creating another. */
  readonly known: (store: Store, thing: Members) => Members | undefined;
  /** The status of a create with a taken id. */
  readonly taken: (store: Store, id: string, thing: Members) => number;
  /** The reply to a create, derived from the stored thing. */
  readonly reply: (thing: Members) => Members;
  readonly createStatus: number;
  readonly deleteStatus: number;
  /** Things of another user. */
  readonly others: readonly Members[];
  readonly headers: Readonly<Record<string, string>>;
  readonly partOf: (asked: string, real: string) => boolean;
}

const RIGHT: Keeping = {
  kept: (_name, value) => value,
  created: (store, id, thing) => void store.set(id, thing),
  replaced: (_old, sent) => sent,
  patched: (old, sent) => ({ ...old, ...sent }),
  deleted: (store, id) => void store.delete(id),
  found: (store, id) => store.get(id),
  listed: (things) => things,
  page: (things, offset, limit) => things.slice(offset, offset + limit),
  matches: (thing, kind) => kind === null || thing.kind === kind,
  total: (count) => count,
  nextId: (count) => `${9_007_199_254_740_993n + BigInt(count) * 2n}`,
  missing: () => 404,
  obeys: () => false,
  known: () => undefined,
  taken: () => 409,
  reply: (thing) => thing,
  createStatus: 201,
  deleteStatus: 204,
  others: [],
  headers: {},
  partOf: (asked, real) => asked === real,
};

interface Reply {
  readonly status: number;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
}

const refuse = (status: number): Reply => ({ status, body: { message: 'no' } });

const parse = (body: string): Json | undefined => {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
};

/** Where a shop answers, and how to stop it. */
export type Shop = Awaited<ReturnType<typeof startShop>>;

/** Starts a service with things, parts, books, labels and settings, which deviates as a test asks. */
export const startShop = async (wrong: Partial<Keeping> = {}) => {
  const does = { ...RIGHT, ...wrong };
  const things: Store = new Map(does.others.map((each) => [String(each.id), each]));
  const parts: Store = new Map();
  const books: Store = new Map();
  const labels: Store = new Map();
  let settings: Members = { greeting: 'Hello' };
  const { accepts } = shopContract.request;
  const operations = operationsOf(shopContract);
  let made = 0;

  const keep = (members: Members): Members =>
    Object.fromEntries(
      Object.entries(members)
        .filter(([name]) => name !== 'secret')
        .map(([name, value]) => [name, does.kept(name, value)]),
    );

  const refusalOf = (
    { method, headers }: IncomingMessage,
    template: string,
    body: string,
  ): number | undefined => {
    const operation = operations.find((each) => each.method === method && each.path === template);
    if (!operation) return 405;
    if (headers.authorization !== `Bearer ${SHOP_TOKEN}`) return 401;
    const [content] = operation.body?.contents ?? [];
    if (!content) return undefined;
    if (headers['content-type'] !== content.mediaType) return 415;
    const value = parse(body);
    return value !== undefined && accepts(content.schema, value) ? undefined : 400;
  };

  const onThing = (method: string, id: string, sent: Members): Reply => {
    const old = does.found(things, id);
    if (!old) return refuse(does.missing(method === 'DELETE'));
    if (method === 'DELETE') {
      if (does.deleteStatus === 409) return refuse(409);
      does.deleted(things, id);
      return { status: does.deleteStatus };
    }
    if (method === 'PUT') things.set(id, { ...keep(does.replaced(old, sent)), id: old.id ?? null });
    if (method === 'PATCH') things.set(id, { ...keep(does.patched(old, sent)), id: old.id ?? null });
    return { status: 200, body: (method === 'GET' ? old : things.get(id)) ?? null };
  };

  const onThings = (method: string, query: URLSearchParams, sent: Members): Reply => {
    const known = method === 'POST' ? does.known(things, keep(sent)) : undefined;
    if (known) return { status: 200, body: known };
    if (method === 'POST') {
      const id = does.nextId(made++);
      const thing = { ...keep(sent), id: BigInt(id) };
      does.created(things, id, thing);
      return { status: does.createStatus, body: does.reply(thing), headers: { Location: `/things/${id}` } };
    }
    const [limit, offset] = [query.get('limit') ?? '20', query.get('offset') ?? '0'];
    if (!/^[1-9]\d?$/.test(limit) || Number(limit) > 50 || !/^\d+$/.test(offset)) return refuse(400);
    if (!['big', 'small', null].includes(query.get('kind'))) return refuse(400);
    const all = does.listed([...things.values()].filter((each) => does.matches(each, query.get('kind'))));
    const items = does.page(all, Number(offset), Number(limit));
    return { status: 200, body: { items, total: does.total(all.length) } };
  };

  const onParts = (method: string, thing: string, id: string | undefined, sent: Members): Reply => {
    if (!does.found(things, thing)) return refuse(404);
    const isHere = ({ thing: real }: Members): boolean => does.partOf(thing, String(real));
    const show = ({ thing: _, ...part }: Members): Members => part;
    if (method === 'POST') {
      const partId = randomUUID();
      parts.set(partId, { ...keep(sent), partId, thing });
      return { status: 201, body: { data: show(parts.get(partId) ?? {}) } };
    }
    if (id === undefined) return { status: 200, body: [...parts.values()].filter(isHere).map(show) };
    const part = parts.get(id);
    return part && isHere(part) ? { status: 200, body: { data: show(part) } } : refuse(404);
  };

  const onBook = (method: string, id: string, sent: Members): Reply => {
    const old = books.get(id);
    if (method === 'POST' && old)
      return { ...refuse(does.taken(books, id, sent)), body: { ...sent, message: 'taken' } };
    if (method === 'POST') books.set(id, keep(sent));
    else if (!old) return refuse(404);
    if (method === 'DELETE') return books.delete(id) ? { status: 204 } : refuse(404);
    return { status: method === 'POST' ? 201 : 200, body: books.get(id) ?? null };
  };

  const onLabel = (method: string, code: string, sent: Members): Reply => {
    if (method === 'PUT') labels.set(code, keep(sent));
    const label = labels.get(code);
    return label ? { status: 200, body: label } : refuse(404);
  };

  const onSettings = (method: string, sent: Members): Reply => {
    if (method === 'PUT') settings = keep(does.replaced(settings, sent));
    if (method === 'PATCH') settings = keep(does.patched(settings, sent));
    return method === 'PUT' ? { status: 204 } : { status: 200, body: settings };
  };

  const reply = (request: IncomingMessage, body: string): Reply => {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, 'http://shop');
    const [, kind = '', id, deeper, part] = pathname.split('/').map(decodeURIComponent);
    const templates: Readonly<Record<string, string[]>> = {
      things: ['/things', '/things/{thingId}', '/things/{thingId}/parts', '/things/{thing}/parts/{partId}'],
      books: ['/books', '/books/{id}'],
      labels: ['', '/labels/{code}'],
      settings: ['/settings'],
    };
    const template = templates[kind]?.[pathname.split('/').length - 2];
    if (template === undefined) return refuse(404);
    const refused = refusalOf(request, template, body);
    const value = parse(body);
    const sent = isObject(value) ? value : {};
    if (refused !== undefined && !does.obeys({ status: refused, method })) return refuse(refused);
    const done = (): Reply => {
      if (kind === 'books') return onBook(method, id ?? String(sent.id), sent);
      if (kind === 'labels') return onLabel(method, id ?? '', sent);
      if (kind === 'settings') return onSettings(method, sent);
      if (deeper !== undefined) return onParts(method, id ?? '', part, sent);
      return id === undefined ? onThings(method, searchParams, sent) : onThing(method, id, sent);
    };
    const answer = done();
    return refused === undefined ? answer : refuse(refused);
  };

  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    const { status, body, headers } = reply(request, await text(request));
    response.writeHead(status, {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
      ...does.headers,
    });
    response.end(body === undefined ? undefined : toJson(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    requests: () => requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
