import { isObject, type Json } from '../../../../src/values/json.ts';
import type { Keeping } from '../../../state/shop.ts';
import { type Candidates, type Kept, shop } from '../../candidate.ts';

const ofText =
  (change: (text: string) => string): Keeping['kept'] =>
  (_name, value) =>
    typeof value === 'string' && !/^\d{4}-/.test(value) && value !== 'big' ? change(value) : value;

const round: Keeping['kept'] = (_name, value) => (typeof value === 'bigint' ? BigInt(Number(value)) : value);

/** Does what a request asks for although it is refused. */
const obeying = (refusal: number, asked: string): Partial<Keeping> => ({
  obeys: ({ status, method }) => status === refusal && method === asked,
});

const KEPT = /what was (created|replaced) is what is read|shows what was sent|leaves the rest/;

/** What a shop does, what makes it do so, where it shows, and the promise that it breaks. */
const BUGS: readonly (readonly [
  what: string,
  wrong: Partial<Keeping> | (() => Partial<Keeping>),
  kept: Kept,
  promise: RegExp,
])[] = [
  ['loses every third thing', losesThings, '/things', /created is what is read|still there|a list has what/],
  ['rounds integers', { kept: round }, '/things', KEPT],
  [
    'rounds decimals',
    { kept: (_name, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value) },
    '/things',
    KEPT,
  ],
  ['gives what it read first', staleReads, '/things', KEPT],
  [
    'ignores a member when it replaces',
    { replaced: (old, sent) => ({ ...sent, name: old.name ?? null }) },
    '/things',
    /replaced is what is read|reply to a replace/,
  ],
  [
    'merges when it replaces',
    { replaced: (old, sent) => ({ ...old, ...sent }) },
    '/things',
    /replaced is what is read|reply to a replace/,
  ],
  ['does not store a member', { kept: (name, value) => (name === 'size' ? 1n : value) }, '/things', KEPT],
  [
    'resets the rest with a patch',
    { patched: (old, sent) => ({ name: '', kind: old.kind ?? null, ...sent }) },
    '/things',
    /a patch changes what it says and leaves the rest/,
  ],
  [
    'ignores a patch',
    { patched: (old) => old },
    '/things',
    /a patch changes what it says and leaves the rest/,
  ],
  ['does not delete', { deleted: () => {} }, '/things', /what was deleted is gone|not in the list/],
  [
    'deletes another thing',
    { deleted: (store) => void store.delete([...store.keys()][0] ?? '') },
    '/things',
    /what was deleted is gone|what was not deleted is still there|in the list/,
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
    /what was not deleted is still there|a list has what was created/,
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
    /a list has what was created/,
  ],
  ['lists what was deleted', listsDeleted, '/things', /what was deleted is not in the list/],
  ['ignores the limit', { page: (all, offset) => all.slice(offset) }, '/things', /no more than its limit/],
  [
    'skips one between pages',
    { page: (all, offset, limit) => all.slice(offset === 0 ? 0 : offset + 1).slice(0, limit) },
    '/things',
    /a list has what was created|a total counts no more/,
  ],
  [
    'repeats one between pages',
    { page: (all, offset, limit) => all.slice(Math.max(0, offset - 1)).slice(0, limit) },
    '/things',
    /a list has each thing once|a list has what was created|counts all/,
  ],
  ['counts one less', { total: (count) => Math.max(0, count - 1) }, '/things', /a total counts all|grows/],
  ['has a total of the page', { total: (count) => Math.min(count, 2) }, '/things', /a total/],
  ['stores what it refuses', obeying(400, 'POST'), '/things', /a refused create stores nothing/],
  ['stores what strangers send', obeying(401, 'POST'), '/things', /a refused create stores nothing/],
  [
    'stores a book that it refuses',
    { obeys: ({ status }) => status === 400 },
    '/books',
    /a refused create stores nothing/,
  ],
  ['replaces with what it refuses', obeying(400, 'PUT'), '/things', /a refused request changes nothing/],
  ['patches for strangers', obeying(401, 'PATCH'), '/things', /a refused request changes nothing/],
  [
    'deletes for strangers',
    obeying(401, 'DELETE'),
    '/things',
    /a refused request changes nothing|what was|a list/,
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
    /reading a thing gives that thing|what was/,
  ],
  [
    'gives every second thing the same id',
    { nextId: (count) => `${count >> 1}` },
    '/things',
    /two creates have two ids|what was/,
  ],
  ['ignores a filter', { matches: () => true }, '/things', /a list by kind has only what matches/],
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
  ['rounds ids', { kept: round }, '/books', /an id is kept|gives that thing|is what is read/],
  [
    'overwrites what has that id',
    {
      taken: (store, id, thing) => {
        store.set(id, thing);
        return 201;
      },
    },
    '/books',
    /does not overwrite in silence/,
  ],
  ['fails when an id is taken', { taken: () => 500 }, '/books', /an id that is taken is refused/],
  [
    'shows something else than it stored',
    { reply: (thing) => ({ ...thing, name: `${thing.name}!` }) },
    '/things',
    /the reply to a create shows what was sent/,
  ],
  [
    'shows parts in every thing',
    { partOf: () => true },
    '/things/{thing}/parts',
    /only where it was created|only its own things/,
  ],
  ['rounds a setting', { kept: round }, '/settings', KEPT],
  ['does not store settings', { replaced: (old) => old }, '/settings', KEPT],
  ['stores settings of strangers', obeying(401, 'PUT'), '/settings', /a refused request changes nothing/],
  [
    'forgets settings that a patch does not name',
    { patched: (_old, sent) => ({ greeting: '', ...sent }) },
    '/settings',
    /a patch changes what it says and leaves the rest/,
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
