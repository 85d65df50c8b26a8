import { run } from '../run.ts';
import { type Keeping, SHOP_FILE, SHOP_TOKEN, startShop } from './shop.ts';

const OTHERS = Array.from({ length: 60 }, (_, index) => ({ id: index, name: `other ${index}`, kind: 'big' }));

const toSeconds: Keeping['kept'] = (name, value) =>
  name === 'made' ? `${new Date(String(value)).toISOString().slice(0, 19)}+00:00` : value;

const RIGHT: [what: string, keeping: Partial<Keeping>][] = [
  ['stores its data', {}],
  ['keeps times to the second', { kept: toSeconds }],
  ['fills in missing members', { created: (store, id, thing) => void store.set(id, { tags: [], ...thing }) }],
  ['lists the newest first', { listed: (all) => [...all].reverse() }],
  ['has many other things', { others: OTHERS }],
  ['does not let things be deleted', { deleteStatus: 409 }],
  ['deletes later', { deleteStatus: 202, deleted: () => {} }],
  ['creates later', { createStatus: 202, created: () => {} }],
  ['is a stub', { headers: { 'X-Stub': 'true' }, created: () => {} }],
  [
    'omits empty members',
    {
      found: (store, id) => {
        const thing = store.get(id);
        const isKept = ([name, value]: [string, unknown]) =>
          name === 'name' || !(value === 0 || (Array.isArray(value) && value.length === 0));
        return thing ? Object.fromEntries(Object.entries(thing).filter(isKept)) : undefined;
      },
    },
  ],
  [
    'updates the thing with that id and reports it',
    {
      taken: (store, id, thing) => {
        store.set(id, thing);
        return 200;
      },
    },
  ],
  [
    'answers 200 with an existing thing instead of creating another',
    { known: (store, { kind }) => [...store.values()].find((each) => each.kind === kind) },
  ],
  ['takes the same id again and keeps the first', { taken: () => 201 }],
];

test.each(RIGHT)(
  'a shop that %s is not called wrong',
  async (_what, keeping) => {
    const { url, close } = await startShop(keeping);
    const shop = { url, spec: SHOP_FILE, credentials: { token: SHOP_TOKEN }, phases: ['state'] };
    const { text, failures } = await run({ ...shop, seed: 1, requests: 40 });
    await close();
    const notes = text.split('\n').filter((line) => /^note/.test(line));
    const isUsual = (note: string): boolean =>
      /nothing could be created$|not checked: |no valid request got/.test(note);
    expect([failures, ...notes.filter((note) => !isUsual(note))]).toEqual([0]);
  },
  120_000,
);
