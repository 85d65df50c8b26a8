import { startNotes } from '../notes-service.ts';
import { run } from '../run.ts';

test.each([
  ['createNote', /^POST \/notes$/, 'readNote'],
  ['deleteNote', /^DELETE \/notes\/[^/]+$/, 'createNote'],
])(
  'an excluded %s is never called, not even to create or to tidy up',
  async (excluded, request, other) => {
    const sent: string[] = [];
    const { url, document, close } = await startNotes({
      answers: ({ method, path }, usual) => {
        sent.push(`${method} ${path}`);
        return usual();
      },
    });
    const phases = ['valid', 'parameters', 'credentials', 'state'];
    const { text } = await run({
      ...{ url, spec: document, requests: 2, phases },
      flags: [`--exclude=${excluded}`],
    });
    await close();
    expect(sent.filter((each) => request.test(each))).toEqual([]);
    expect(text).toContain(`| ${other} (`);
  },
  60_000,
);
