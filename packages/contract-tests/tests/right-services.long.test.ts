import { ownMember, tryParseExact } from '@trellis/openapi/internal/json';
import { checkNotes, type Manner, type Received, type Reply, refuse } from './notes-service.ts';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const REFUSED = { description: 'Refused', ...json({ type: 'object' }) };

/** Declares a status of some operations. */
const declaring =
  (status: number, ...names: ('list' | 'create' | 'read' | 'replace' | 'remove')[]): Manner['declares'] =>
  (operations) => {
    for (const name of names) operations[name].responses[status] = REFUSED;
  };

/** Answers every nth request with another reply. */
const every = (count: number, reply: Reply): Manner['answers'] => {
  let requests = 0;
  return (_received, usual) => {
    requests += 1;
    return requests % count === 0 ? reply : usual();
  };
};

/** Performs a request and answers 202. */
const later = (method: string): Manner['answers'] => {
  let requests = 0;
  return (received, usual) => {
    const reply = usual();
    requests += received.method === method ? 1 : 0;
    const isLater = received.method === method && reply.status < 300 && requests % 2 === 0;
    return isLater ? { status: 202, body: {} } : reply;
  };
};

const nameIn = ({ sent }: Received): unknown => ownMember(tryParseExact(sent), 'name');

/** Refuses a name that another note has. */
const withUniqueNames: Manner['answers'] = (received, usual, notes) => {
  const name = nameIn(received);
  const isTaken = [...notes].some(([id, note]) => note.name === name && !received.path.endsWith(`/${id}`));
  return name !== undefined && isTaken ? refuse(409) : usual();
};

/** Refuses another note under a key that was sent before, and answers the same one as before. */
const withKeys = (): Manner['answers'] => {
  const served = new Map<string, { readonly sent: string; readonly reply: Reply }>();
  return ({ method, headers, sent }, usual) => {
    const key = headers['idempotency-key'];
    if (method !== 'POST' || typeof key !== 'string') return usual();
    const first = served.get(key);
    if (first) return first.sent === sent ? first.reply : refuse(422);
    const reply = usual();
    if (reply.status < 300) served.set(key, { sent, reply });
    return reply;
  };
};

const CREDENTIALS = {
  type: 'object',
  required: ['user', 'password'],
  properties: { user: { type: 'string' }, password: { type: 'string' } },
};

/** A service that also lets people log in, and whose contract asks for a token everywhere. */
const WITH_LOGIN: Manner = {
  declares: (operations) => {
    for (const operation of Object.values(operations)) operation.responses[401] = REFUSED;
  },
  more: {
    security: [{ bearer: [] }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/login': {
        post: {
          operationId: 'login',
          requestBody: { required: true, ...json(CREDENTIALS) },
          responses: { 200: REFUSED, 400: REFUSED, 401: REFUSED, 415: REFUSED },
        },
      },
    },
  },
  answers: ({ method, path, headers, sent }, usual) => {
    if (!/^[Bb](?:earer|EARER) a-token-for-notes$/.test(headers.authorization ?? '')) return refuse(401);
    if (path !== '/login') return usual();
    if (method !== 'POST') return { ...refuse(405), headers: { Allow: 'POST' } };
    if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) return refuse(415);
    try {
      const { user, password } = JSON.parse(sent);
      return refuse(typeof user === 'string' && typeof password === 'string' ? 401 : 400);
    } catch {
      return refuse(400);
    }
  },
};

/** A service whose list has cursors, and that has made none. */
const WITH_CURSORS: Manner = {
  declares: ({ list }) => {
    list.parameters.push({ name: 'cursor', in: 'query', schema: { type: 'string' } });
  },
  answers: ({ query }, usual) => (query.has('cursor') ? refuse(400) : usual()),
};

const RIGHT: [what: string, manner: Manner, phases: string[]][] = [
  [
    'answers a declared 429 now and then',
    {
      declares: declaring(429, 'list', 'create', 'read', 'replace', 'remove'),
      answers: every(3, { ...refuse(429), headers: { 'Retry-After': '3600' } }),
    },
    ['state'],
  ],
  [
    'deletes with a declared 202',
    { declares: declaring(202, 'remove'), answers: later('DELETE') },
    ['state'],
  ],
  ['replaces with a declared 202', { declares: declaring(202, 'replace'), answers: later('PUT') }, ['state']],
  ['creates with a declared 202', { declares: declaring(202, 'create'), answers: later('POST') }, ['state']],
  [
    'answers a declared 415 to a request without its optional body',
    {
      declares: ({ create }) => {
        create.requestBody = { ...create.requestBody, required: false };
      },
      answers: ({ method, sent }, usual) => (method === 'POST' && sent === '' ? refuse(415) : usual()),
    },
    ['coverage', 'valid', 'bodies'],
  ],
  ['answers a declared 401 to a login with a wrong password', WITH_LOGIN, ['coverage', 'valid', 'http']],
  [
    'answers a declared 400 to a cursor that it has not made',
    WITH_CURSORS,
    ['coverage', 'valid', 'http', 'state'],
  ],
  [
    'serves each Idempotency-Key once',
    {
      declares: ({ create }) => {
        const schema = { type: 'string', example: 'a-key' };
        Object.assign(create, {
          parameters: [{ name: 'Idempotency-Key', in: 'header', required: false, schema }],
        });
      },
      answers: withKeys(),
    },
    ['examples', 'coverage', 'valid', 'state'],
  ],
  [
    'answers a declared 409 to a name that is taken',
    { declares: declaring(409, 'create', 'replace'), answers: withUniqueNames },
    ['coverage', 'valid', 'bodies', 'state'],
  ],
];

test.each(RIGHT)('a service that %s keeps its contract', async (_what, manner, phases) => {
  const { text, failures } = await checkNotes(manner, phases);
  expect(text).not.toContain('curl');
  expect(failures).toBe(0);
});

test('an undeclared 409 to a name that is taken is a note', async () => {
  const { text, failures } = await checkNotes({ answers: withUniqueNames }, ['coverage', 'valid']);
  expect(text).not.toContain('curl');
  expect(failures).toBe(0);
  expect(text).toContain('note  createNote: answers 409, which it does not declare');
});

test('an undeclared 409 where nothing can be taken is a failure', async () => {
  const answers: Manner['answers'] = ({ method }, usual) => (method === 'DELETE' ? refuse(409) : usual());
  const { text } = await checkNotes({ answers }, ['valid']);
  expect(text).toContain('deleteNote: valid request: status 409, which is not declared');
});

const with422: Manner['answers'] = (_received, usual) => {
  const reply = usual();
  return reply.status === 400 ? refuse(422) : reply;
};

test('a 422 is a note where neither it nor 400 is declared', async () => {
  const { text, failures } = await checkNotes(
    {
      declares: (operations) => {
        for (const { responses } of Object.values(operations)) delete responses[400];
      },
      answers: with422,
    },
    ['bodies', 'parameters'],
  );
  expect(failures).toBe(0);
  expect(text).toContain('note  createNote: answers 422, which it does not declare');
});

test('a 422 is a failure where 400 is declared', async () => {
  const { text } = await checkNotes({ answers: with422 }, ['bodies']);
  expect(text).toContain('createNote: body as thing, which is no JSON: expected 400, got 422');
});

test('a 401 to valid credentials is a failure if the operation is no login', async () => {
  const answers: Manner['answers'] = (received, usual, notes) =>
    received.method === 'GET' ? refuse(401) : (WITH_LOGIN.answers?.(received, usual, notes) ?? usual());
  const { text } = await checkNotes({ ...WITH_LOGIN, answers }, ['valid']);
  expect(text).toContain('readNote: valid request: a valid request was refused with 401');
});

test('a 400 to a request without a cursor is a failure, whatever else the list takes', async () => {
  const answers: Manner['answers'] = ({ method, path }, usual) =>
    method === 'GET' && path === '/notes' ? refuse(400) : usual();
  const { text } = await checkNotes({ ...WITH_CURSORS, answers }, ['valid']);
  expect(text).toContain('listNotes: valid request: a valid request was refused with 400');
});
