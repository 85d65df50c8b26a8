import { BUGS } from './bugs/bugs.ts';
import { MANNERS } from './manners/manners.ts';
import { LONGEST_MS, lookFor, SEEDS, tryOut } from './trial.ts';

// `matrix.ts` tries each service out with each seed, which takes too long here.
const seedOf = (index: number): number => SEEDS[index % SEEDS.length] ?? SEEDS[0];

const bugs = Object.values(BUGS).flatMap(({ phase, bugs }) =>
  Object.entries(bugs).map(([name, bug]) => ({ name, bug, phase })),
);

test.each(bugs.map((each, index) => ({ ...each, seed: seedOf(index) })))(
  'a service that $name is caught',
  async ({ bug, phase, seed }) => {
    const { isFound } = await lookFor(bug, phase, seed);
    expect(isFound).toBe(true);
  },
  2 * LONGEST_MS,
);

test.each(Object.entries(MANNERS).map(([name, variant], index) => ({ name, variant, seed: seedOf(index) })))(
  'a service that $name keeps its contract',
  async ({ variant, seed }) => {
    const trial = await tryOut(variant, seed, { include: variant.where });
    expect(trial).toMatchObject({ isComplete: true, failures: 0 });
  },
  2 * LONGEST_MS,
);
