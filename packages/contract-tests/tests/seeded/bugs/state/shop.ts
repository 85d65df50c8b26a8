import { isObject, type Json } from '../../../../src/values/json.ts';
import type { Keeping } from '../../../state/shop.ts';
import { type Candidates, type Kept, shop } from '../../candidate.ts';

const ofText =
  (change: (text: string) => string): Keeping['kept'] =>
  (_name, value) =>
    typeof value === 'string' && !/^\d{4}-/.test(value) && value !== 'big' ? change(value) : value;

const round: Keeping['kept'] = (_name, value) => (typeof value === 'bigint' ? BigInt(Number(value)) : value);

/** Performs a request although it rejects it. */
const obeying = (refusal: number, asked: string): Partial<Keeping> => ({
  obeys: ({ status, method }) => status === refusal && method === asked,
});

const KEPT = /a (created|replaced) thing is read back|shows the data sent|changes only the members/;

/** The behaviour of a shop, its implementation, the collection, and the promise it breaks. */
const BUGS: readonly (readonly [
  what: string,
  wrong: Partial<Keeping> | (() => Partial<Keeping>),
  kept: Kept,
  promise: RegExp,
])[] = [
  [
    'loses every third thing',
    losesThings,
    '/things',
    /created thing is read|leaves other things|every created thing/,
  ],
  ['rounds integers', { kept: round }, '/things', KEPT],
  [
    'rounds decimals',
    { kept: (_name, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value) },
    '/things',
    KEPT,
  ],
  ['serves stale reads', staleReads, '/things', KEPT],
  [
    'ignores a member when it replaces',
    { replaced: (old, sent) => ({ ...sent, name: old.name ?? null }) },
    '/things',
    /replaced thing is read back|reply to a replace/,
  ],
  [
    'merges when it replaces',
    { replaced: (old, sent) => ({ ...old, ...sent }) },
    '/things',
    /replaced thing is read back|reply to a replace/,
  ],
  ['does not store a member', { kept: (name, value) => (name === 'size' ? 1n : value) }, '/things', KEPT],
  [
    'resets the rest with a patch',
    { patched: (old, sent) => ({ name: '', kind: old.kind ?? null, ...sent }) },
    '/things',
    /a patch changes only the members it names/,
  ],
  ['ignores a patch', { patched: (old) => old }, '/things', /a patch changes only the members it names/],
  ['does not delete', { deleted: () => {} }, '/things', /a deleted thing cannot be read|omits deleted/],
  [
    'deletes another thing',
    { deleted: (store) => void store.delete([...store.keys()][0] ?? '') },
    '/things',
    /a deleted thing cannot be read|leaves other things|omits deleted/,
  ],
  [
    'deletes the neighbour too',
    {
      deleted: (store, id) => {
        const ids = [...store.keys()];
        store.delete(ids[ids.indexOf(id) - 1] ?? '');
        store.delete(id);
      },
    },
    '/things',
    /leaves other things|every created thing/,
  ],
  [
    'fails when it deletes twice',
    { missing: (isDelete) => (isDelete ? 500 : 404) },
    '/things',
    /deleting twice does not fail/,
  ],
  [
    'lists all but the newest',
    { listed: (all) => all.slice(0, -1) },
    '/things',
    /a list contains every created thing/,
  ],
  ['lists deleted things', listsDeleted, '/things', /a list omits deleted things/],
  ['ignores the limit', { page: (all, offset) => all.slice(offset) }, '/things', /respects its limit/],
  [
    'skips one between pages',
    { page: (all, offset, limit) => all.slice(offset === 0 ? 0 : offset + 1).slice(0, limit) },
    '/things',
    /every created thing|a total counts only existing items/,
  ],
  [
    'repeats one between pages',
    { page: (all, offset, limit) => all.slice(Math.max(0, offset - 1)).slice(0, limit) },
    '/things',
    /a list has no duplicates|every created thing|counts every item/,
  ],
  ['counts one less', { total: (count) => Math.max(0, count - 1) }, '/things', /a total counts every item/],
  ['has a total of the page', { total: (count) => Math.min(count, 2) }, '/things', /a total/],
  ['stores rejected things', obeying(400, 'POST'), '/things', /a rejected create stores nothing/],
  ['stores what strangers send', obeying(401, 'POST'), '/things', /a rejected create stores nothing/],
  [
    'stores a book that it refuses',
    { obeys: ({ status }) => status === 400 },
    '/books',
    /a rejected create stores nothing/,
  ],
  ['replaces by rejected requests', obeying(400, 'PUT'), '/things', /a rejected request changes nothing/],
  ['patches for strangers', obeying(401, 'PATCH'), '/things', /a rejected request changes nothing/],
  [
    'deletes for strangers',
    obeying(401, 'DELETE'),
    '/things',
    /a rejected request changes nothing|be read|read back|leaves other|a list/,
  ],
  [
    'appends when it replaces',
    {
      replaced: (old, sent) => ({
        ...sent,
        tags: [...(Array.isArray(old.tags) ? old.tags : []), ...(Array.isArray(sent.tags) ? sent.tags : [])],
      }),
    },
    '/things',
    /replac/,
  ],
  [
    'reads the latest, whatever is asked for',
    { found: (store, id) => (store.has(id) ? [...store.values()].at(-1) : undefined) },
    '/things',
    /a read returns the requested thing|read back/,
  ],
  [
    'gives every second thing the same id',
    { nextId: (count) => `${count >> 1}` },
    '/things',
    /two creates return different ids|read back/,
  ],
  ['ignores a filter', { matches: () => true }, '/things', /a list by kind contains only matches/],
  ['folds case', { kept: ofText((text) => text.toLowerCase()) }, '/things', KEPT],
  ['trims', { kept: ofText((text) => text.trim()) }, '/things', KEPT],
  ['cuts off at 255', { kept: ofText((text) => text.slice(0, 255)) }, '/things', KEPT],
  ['normalises', { kept: ofText((text) => text.normalize('NFC')) }, '/things', KEPT],
  ['escapes markup', { kept: ofText((text) => text.replaceAll('<', '&lt;')) }, '/labels', KEPT],
  [
    'reads texts as numbers',
    { kept: ofText((text) => (/^\d+$/.test(text) ? `${Number(text)}` : text)) },
    '/labels',
    KEPT,
  ],
  [
    'loses an item of a list',
    { kept: (_name, value) => (Array.isArray(value) && value.length > 1 ? value.slice(1) : value) },
    '/things',
    KEPT,
  ],
  [
    'moves times by an hour',
    {
      kept: (name, value) =>
        name === 'made' ? new Date(Date.parse(String(value)) + 3_600_000).toISOString() : value,
    },
    '/things',
    KEPT,
  ],
  ['rounds ids', { kept: round }, '/books', /an id keeps all digits|the requested thing|read back/],
  [
    'overwrites the thing with that id',
    {
      taken: (store, id, thing) => {
        store.set(id, thing);
        return 201;
      },
    },
    '/books',
    /does not overwrite silently/,
  ],
  ['fails when an id is taken', { taken: () => 500 }, '/books', /a create with a taken id does not fail/],
  [
    'shows something else than it stored',
    { reply: (thing) => ({ ...thing, name: `${thing.name}!` }) },
    '/things',
    /the reply to a create shows the data sent/,
  ],
  [
    'shows parts in every thing',
    { partOf: () => true },
    '/things/{thing}/parts',
    /exists only in its parent|only things of its parent/,
  ],
  ['rounds a setting', { kept: round }, '/settings', KEPT],
  ['does not store settings', { replaced: (old) => old }, '/settings', KEPT],
  ['stores settings of strangers', obeying(401, 'PUT'), '/settings', /a rejected request changes nothing/],
  [
    'forgets settings that a patch does not name',
    { patched: (_old, sent) => ({ greeting: '', ...sent }) },
    '/settings',
    /a patch changes only the members it names/,
  ],
];

function losesThings(): Partial<Keeping> {
  let count = 0;
  return {
    created: (store, id, thing) => {
      count += 1;
      if (count % 3 !== 0) store.set(id, thing);
    },
  };
}

function staleReads(): Partial<Keeping> {
  const seen = new Map<string, { readonly [name: string]: Json }>();
  return {
    found: (store, id) => {
      const first = seen.get(id) ?? store.get(id);
      if (isObject(first) && store.has(id)) seen.set(id, first);
      return store.has(id) ? first : undefined;
    },
  };
}

function listsDeleted(): Partial<Keeping> {
  const gone: { readonly [name: string]: Json }[] = [];
  return {
    deleted: (store, id) => {
      const thing = store.get(id);
      if (thing) gone.push(thing);
      store.delete(id);
    },
    listed: (all) => [...all, ...gone.slice(-5)],
  };
}

/** Shops that keep something in a wrong way. */
export const SHOP_BUGS: Candidates = Object.fromEntries(
  BUGS.map(([what, wrong, kept, promise]) => [what, shop(wrong, kept, promise)]),
);
