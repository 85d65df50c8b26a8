import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { toJson } from '@trellis/openapi/internal/json';
import { createContract } from '../../src/document/contract.ts';
import { operationsOf } from '../../src/document/operations.ts';
import { readSources } from '../../src/document/sources.ts';
import { isObject, type Json, parseJson } from '../../src/values/json.ts';
import { serve } from '../serve.ts';

/** The contract of the shop. */
export const SHOP_FILE = fileURLToPath(new URL('shop.yaml', import.meta.url));

const shopContract = createContract(await readSources(SHOP_FILE));

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

/** The data of a shop, and its behaviour. */
interface ShopData {
  readonly does: Keeping;
  readonly things: Store;
  readonly parts: Store;
  readonly books: Store;
  readonly labels: Store;
  settings: Members;
  /** Number of things created so far. */
  made: number;
}

const operations = operationsOf(shopContract);

const keep = ({ does }: ShopData, members: Members): Members =>
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
  return value !== undefined && shopContract.request.accepts(content.schema, value) ? undefined : 400;
};

const onThing = (shop: ShopData, method: string, id: string, sent: Members): Reply => {
  const { does, things } = shop;
  const old = does.found(things, id);
  if (!old) return refuse(does.missing(method === 'DELETE'));
  if (method === 'DELETE') {
    if (does.deleteStatus === 409) return refuse(409);
    does.deleted(things, id);
    return { status: does.deleteStatus };
  }
  if (method === 'PUT') things.set(id, { ...keep(shop, does.replaced(old, sent)), id: old.id ?? null });
  if (method === 'PATCH') things.set(id, { ...keep(shop, does.patched(old, sent)), id: old.id ?? null });
  return { status: 200, body: (method === 'GET' ? old : things.get(id)) ?? null };
};

const createThing = (shop: ShopData, sent: Members): Reply => {
  const { does, things } = shop;
  const known = does.known(things, keep(shop, sent));
  if (known) return { status: 200, body: known };
  const id = does.nextId(shop.made++);
  const thing = { ...keep(shop, sent), id: BigInt(id) };
  does.created(things, id, thing);
  return { status: does.createStatus, body: does.reply(thing), headers: { Location: `/things/${id}` } };
};

const listThings = ({ does, things }: ShopData, query: URLSearchParams): Reply => {
  const [limit, offset] = [query.get('limit') ?? '20', query.get('offset') ?? '0'];
  if (!/^[1-9]\d?$/.test(limit) || Number(limit) > 50 || !/^\d+$/.test(offset)) return refuse(400);
  if (!['big', 'small', null].includes(query.get('kind'))) return refuse(400);
  const all = does.listed([...things.values()].filter((each) => does.matches(each, query.get('kind'))));
  const items = does.page(all, Number(offset), Number(limit));
  return { status: 200, body: { items, total: does.total(all.length) } };
};

const onParts = (
  shop: ShopData,
  method: string,
  thing: string,
  id: string | undefined,
  sent: Members,
): Reply => {
  const { does, things, parts } = shop;
  if (!does.found(things, thing)) return refuse(404);
  const isHere = ({ thing: real }: Members): boolean => does.partOf(thing, String(real));
  const show = ({ thing: _, ...part }: Members): Members => part;
  if (method === 'POST') {
    const partId = randomUUID();
    parts.set(partId, { ...keep(shop, sent), partId, thing });
    return { status: 201, body: { data: show(parts.get(partId) ?? {}) } };
  }
  if (id === undefined) return { status: 200, body: [...parts.values()].filter(isHere).map(show) };
  const part = parts.get(id);
  return part && isHere(part) ? { status: 200, body: { data: show(part) } } : refuse(404);
};

const onBook = (shop: ShopData, method: string, id: string, sent: Members): Reply => {
  const { does, books } = shop;
  const old = books.get(id);
  if (method === 'POST' && old)
    return { ...refuse(does.taken(books, id, sent)), body: { ...sent, message: 'taken' } };
  if (method === 'POST') books.set(id, keep(shop, sent));
  else if (!old) return refuse(404);
  if (method === 'DELETE') return books.delete(id) ? { status: 204 } : refuse(404);
  return { status: method === 'POST' ? 201 : 200, body: books.get(id) ?? null };
};

const onLabel = (shop: ShopData, method: string, code: string, sent: Members): Reply => {
  if (method === 'PUT') shop.labels.set(code, keep(shop, sent));
  const label = shop.labels.get(code);
  return label ? { status: 200, body: label } : refuse(404);
};

const onSettings = (shop: ShopData, method: string, sent: Members): Reply => {
  const { does, settings } = shop;
  if (method === 'PUT') shop.settings = keep(shop, does.replaced(settings, sent));
  if (method === 'PATCH') shop.settings = keep(shop, does.patched(settings, sent));
  return method === 'PUT' ? { status: 204 } : { status: 200, body: shop.settings };
};

const TEMPLATES: Readonly<Record<string, string[]>> = {
  things: ['/things', '/things/{thingId}', '/things/{thingId}/parts', '/things/{thing}/parts/{partId}'],
  books: ['/books', '/books/{id}'],
  labels: ['', '/labels/{code}'],
  settings: ['/settings'],
};

const replyTo = (shop: ShopData, request: IncomingMessage, body: string): Reply => {
  const { method = '', url = '' } = request;
  const { pathname, searchParams } = new URL(url, 'http://shop');
  const [, kind = '', id, deeper, part] = pathname.split('/').map(decodeURIComponent);
  const template = TEMPLATES[kind]?.[pathname.split('/').length - 2];
  if (template === undefined) return refuse(404);
  const refused = refusalOf(request, template, body);
  const value = parse(body);
  const sent = isObject(value) ? value : {};
  if (refused !== undefined && !shop.does.obeys({ status: refused, method })) return refuse(refused);
  const perform = (): Reply => {
    if (kind === 'books') return onBook(shop, method, id ?? String(sent.id), sent);
    if (kind === 'labels') return onLabel(shop, method, id ?? '', sent);
    if (kind === 'settings') return onSettings(shop, method, sent);
    if (deeper !== undefined) return onParts(shop, method, id ?? '', part, sent);
    if (id !== undefined) return onThing(shop, method, id, sent);
    return method === 'POST' ? createThing(shop, sent) : listThings(shop, searchParams);
  };
  const reply = perform();
  return refused === undefined ? reply : refuse(refused);
};

/** Starts a service with things, parts, books, labels and settings, which deviates as a test asks. */
export const startShop = async (wrong: Partial<Keeping> = {}) => {
  const does = { ...RIGHT, ...wrong };
  const shop: ShopData = {
    does,
    things: new Map(does.others.map((each) => [String(each.id), each])),
    ...{ parts: new Map(), books: new Map(), labels: new Map() },
    settings: { greeting: 'Hello' },
    made: 0,
  };
  let requests = 0;
  const { url, close } = await serve(async (request, response) => {
    requests += 1;
    const { status, body, headers } = replyTo(shop, request, await text(request));
    response.writeHead(status, {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
      ...does.headers,
    });
    response.end(body === undefined ? undefined : toJson(body));
  });
  return { url, close, requests: () => requests };
};
