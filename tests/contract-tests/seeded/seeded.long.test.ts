import { BUGS } from './bugs/bugs.ts';
import { MANNERS } from './manners/manners.ts';
import { LONGEST_MS, lookFor, SEEDS, tryOut } from './trial.ts';

// `matrix.ts` tries each service out with each seed. Here, every third of a kind is, with the seeds in turn.
const EVERY = 3;
const isDue = (_each: unknown, index: number): boolean => index % EVERY === 0;
const seedOf = (index: number): number => SEEDS[index % SEEDS.length] ?? SEEDS[0];

const bugs = Object.values(BUGS).flatMap(({ phase, bugs }) =>
  Object.entries(bugs)
    .filter(isDue)
    .map(([name, bug]) => ({ name, bug, phase })),
);
const manners = Object.entries(MANNERS).filter(isDue);

test('there are bugs of every kind, and many right services', () => {
  expect(bugs.length).toBeGreaterThan(90);
  expect(manners.length).toBeGreaterThan(15);
});

test.each(bugs.map((each, index) => ({ ...each, seed: seedOf(index) })))(
  'a service that $name is caught',
  async ({ bug, phase, seed }) => {
    const { isFound } = await lookFor(bug, phase, seed);
    expect(isFound).toBe(true);
  },
  2 * LONGEST_MS,
);

test.each(manners.map(([name, variant], index) => ({ name, variant, seed: seedOf(index) })))(
  'a service that $name keeps its contract',
  async ({ variant, seed }) => {
    const trial = await tryOut(variant, seed, { include: variant.where });
    expect(trial).toMatchObject({ isComplete: true, failures: 0 });
  },
  2 * LONGEST_MS,
);
