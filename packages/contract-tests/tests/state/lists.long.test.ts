import { checkNotes, type Manner } from '../notes-service.ts';

const FORGETFUL: Manner['answers'] = ({ method }, usual, notes) => {
  const reply = usual();
  if (method === 'PUT') for (const [id, note] of notes) notes.set(id, { ...note, name: 'forgotten' });
  return reply;
};

test.each<[collection: string, item: string]>([
  ['/notes/', '/notes/{note_id}'],
  ['/notes/', '/notes/{note_id}/'],
  ['/notes', '/notes/{note_id}/'],
])('what %s and %s keep is checked', async (collection, item) => {
  const right = await checkNotes({ collection, item }, ['state']);
  expect([right.text, right.failures]).toEqual([expect.not.stringMatching(/^note/m), 0]);
  const { text } = await checkNotes({ collection, item, answers: FORGETFUL }, ['state']);
  expect(text).toContain('name is "forgotten"');
});

const query = (name: string, schema: object, required = false) => ({ name, in: 'query', required, schema });

/** A list with one more parameter. */
const listBy =
  (...parameter: Parameters<typeof query>): Manner['declares'] =>
  ({ list }) => {
    list.parameters.push(query(...parameter));
  };

const KIND = { type: 'string', enum: ['big', 'small'] };
const byKind: Manner['lists'] = (notes, asked) =>
  notes.filter(({ kind }) => kind === (asked.get('kind') ?? 'big'));

test('a list that has an order with a default is checked', async () => {
  const declares = listBy('sort', { type: 'string', default: 'name' });
  const right = await checkNotes({ declares }, ['state']);
  expect([right.text, right.failures]).toEqual([expect.not.stringContaining('curl'), 0]);
  const { text } = await checkNotes({ declares, lists: (notes) => notes.slice(0, -1) }, ['state'], 40);
  expect(text).toContain('listNotes: a list contains every created thing:');
});

const HIDING: [what: string, declares: Manner['declares'], lists?: Manner['lists']][] = [
  ['has a default', listBy('owner', { type: 'string', default: 'me' })],
  ['is a switch that is off by default', listBy('archived', { type: 'boolean', default: false })],
  ['chooses a kind by default', listBy('kind', { ...KIND, default: 'big' }), byKind],
  ['is required', listBy('kind', KIND, true), byKind],
];

test.each(HIDING)(
  'a list is not checked for completeness if a parameter that %s may filter it, and a note reports that',
  async (_what, declares, lists = () => []) => {
    const { text, failures } = await checkNotes({ declares, lists }, ['state']);
    expect(failures).toBe(0);
    expect(text).toMatch(
      /note {2}not checked: whether a list contains every created thing, because a query parameter may leave things out \(\w+\): \/notes/,
    );
  },
);

test('a list that a parameter may hide things of still has each of them once', async () => {
  const declares = listBy('owner', { type: 'string', default: 'me' });
  const twice: Manner['lists'] = (notes) => [...notes, ...notes];
  expect((await checkNotes({ declares, lists: twice }, ['state'])).text).toContain(
    'listNotes: a list has no duplicates',
  );
});

test('lists of a service that works off changes later are not checked, and that is said', async () => {
  const { text } = await checkNotes(
    {
      declares: ({ remove }) => {
        remove.responses[202] = { description: 'Later' };
      },
      answers: ({ method }, usual) => {
        const reply = usual();
        return method === 'DELETE' && reply.status === 204 ? { status: 202 } : reply;
      },
    },
    ['state'],
  );
  expect(text).toContain('note  not checked: lists, because a change was answered with 202');
});

test('a list that cannot be found in its reply is said', async () => {
  const { text } = await checkNotes(
    {
      answers: ({ method, path }, usual) =>
        method === 'GET' && path === '/notes' ? { status: 200, body: { found: {} } } : usual(),
    },
    ['state'],
  );
  expect(text).toContain(
    'note  not checked: lists, because no reply showed a list of things with ids: /notes',
  );
});

test('operations whose effect nothing shows are named, the first five of them', async () => {
  const send = (index: number) => ({
    post: { operationId: `send${index}`, responses: { 204: { description: '' } } },
  });
  const paths = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((index) => [`/letters${index}`, send(index)]));
  const answers: Manner['answers'] = ({ path }, usual) =>
    path.startsWith('/letters') ? { status: 204 } : usual();
  const { text } = await checkNotes({ more: { paths }, answers }, ['state']);
  expect(text).toContain(
    'note  not checked: stored data, because no operation reads it back: send1, send2, send3, send4, send5 and 2 more',
  );
});
