import { BUGS } from './bugs/bugs.ts';
import { MANNERS } from './manners/manners.ts';
import { LONGEST_MS, lookFor, SEEDS, tryOut } from './trial.ts';

// `matrix.ts` tries each service out with each seed, which takes too long here.
const seedOf = (index: number): number => SEEDS[index % SEEDS.length] ?? SEEDS[0];

const bugs = Object.values(BUGS).flatMap((each) => Object.entries(each));

test.each(bugs.map(([name, bug], index) => ({ name, bug, seed: seedOf(index) })))(
  'a service that $name is caught',
  async ({ bug, seed }) => {
    const { isFound } = await lookFor(bug, seed);
    expect(isFound).toBe(true);
  },
  2 * LONGEST_MS,
);

test.each(Object.entries(MANNERS).map(([name, variant], index) => ({ name, variant, seed: seedOf(index) })))(
  'a service that $name keeps its contract',
  async ({ variant, seed }) => {
    const { text, failures } = await tryOut(variant, seed, { include: variant.where });
    expect({ text: text.trim(), failures }).toEqual({ text: '', failures: 0 });
  },
  2 * LONGEST_MS,
);
