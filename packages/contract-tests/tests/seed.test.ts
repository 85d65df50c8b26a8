import { startNotes } from './notes-service.ts';
import { type RunOptions, run } from './run.ts';

/** The bodies of the requests that create notes. */
const bodiesSent = async (selection: Pick<RunOptions, 'include' | 'phases'>) => {
  const bodies: string[] = [];
  const { url, document, close } = await startNotes({
    answers: ({ method, path, sent }, usual) => {
      if (method === 'POST' && path === '/notes') bodies.push(sent);
      return usual();
    },
  });
  await run({ url, spec: document, requests: 5, seed: 7, ...selection });
  await close();
  return bodies;
};

test('a run that is narrowed to an operation and a phase sends the same requests again', async () => {
  const whole = await bodiesSent({ phases: ['valid', 'bodies'] });
  const narrow = await bodiesSent({ include: ['createNote'], phases: ['bodies'] });
  expect(narrow.length).toBeGreaterThan(20);
  expect(whole.length).toBeGreaterThan(narrow.length);
  expect(whole).toEqual(expect.arrayContaining(narrow));
});
