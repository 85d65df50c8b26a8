import { BUGS } from './bugs/bugs.ts';
import { MANNERS } from './manners/manners.ts';
import { LONGEST_MS, lookFor, SEEDS, tryOut } from './trial.ts';

// `matrix.ts` tries all of them out, each with each seed. Here, a few are, with the seeds in turn.
const someOf = <T>(variants: Readonly<Record<string, T>>) =>
  Object.entries(variants)
    .filter((_variant, index) => index % 40 === 0)
    .map(([name, variant], index) => ({ name, variant, seed: SEEDS[index % SEEDS.length] ?? SEEDS[0] }));

const { phase, bugs } = BUGS.state;

test.each(someOf(bugs))(
  'a service that $name is caught',
  async ({ variant, seed }) => {
    const { isFound } = await lookFor(variant, phase, seed);
    expect(isFound).toBe(true);
  },
  2 * LONGEST_MS,
);

test.each(someOf(MANNERS))(
  'a service that $name keeps its contract',
  async ({ variant, seed }) => {
    const trial = await tryOut(variant, seed, { include: variant.where });
    expect(trial).toMatchObject({ isComplete: true, failures: 0 });
  },
  2 * LONGEST_MS,
);
