import { BUGS } from './bugs/bugs.ts';
import { LONGEST_MS, lookFor, SEEDS } from './trial.ts';

// `matrix.ts` tries all bugs out, each with each seed. Here, some of each kind are, with the seeds in turn.
const { state: _state, 'state of a shop': _shop, ...kinds } = BUGS; // tested in another file
const EVERY: Readonly<Record<string, number>> = {
  HTTP: 1,
  'wrong replies': 4,
  streams: 3,
  transfer: 1,
  'parts of replies': 2,
  'parts of requests': 1,
}; // these are found at once
const bugs = Object.entries(kinds)
  .flatMap(([kind, { phase, bugs }]) =>
    Object.entries(bugs)
      .filter((_bug, index) => index % (EVERY[kind] ?? 40) === 0)
      .map(([name, bug]) => ({ name, bug, phase })),
  )
  .map((each, index) => ({ ...each, seed: SEEDS[index % SEEDS.length] ?? SEEDS[0] }));

test('there are bugs of every kind', () => {
  expect(new Set(bugs.map(({ phase }) => phase))).toEqual(
    new Set(Object.values(kinds).map(({ phase }) => phase)),
  );
});

test.each(bugs)(
  'a service that $name is caught',
  async ({ bug, phase, seed }) => {
    const { isFound } = await lookFor(bug, phase, seed);
    expect(isFound).toBe(true);
  },
  2 * LONGEST_MS,
);
