import { BUGS } from './bugs/bugs.ts';
import { PARTS_MANNERS } from './bugs/parts.ts';
import { TRANSFER_MANNERS } from './bugs/transfer.ts';
import { type Candidates, libraries } from './candidate.ts';
import { MANNERS } from './manners/manners.ts';
import { LONGEST_MS, lookFor, SEEDS, tryOut } from './trial.ts';

// `matrix.ts` tries all of them out, each with each seed. Here, some are, with the seeds in turn.
const everyNth = (candidates: Candidates, nth: number) =>
  Object.entries(candidates)
    // There are few bugs of settings, of which there is only one thing: all of them are tried.
    .filter(([, { where }], index) => index % nth === 0 || where.includes('putSettings'))
    .map(([name, candidate], index) => ({ name, candidate, seed: SEEDS[index % SEEDS.length] ?? SEEDS[0] }));

const { phase, bugs } = BUGS.state;

test.each([...everyNth(bugs, 40), ...everyNth(BUGS['state of a shop'].bugs, 3)])(
  'a service that $name is caught',
  async ({ candidate, seed }) => {
    const { isFound } = await lookFor(candidate, phase, seed);
    expect(isFound).toBe(true);
  },
  2 * LONGEST_MS,
);

test.each([...everyNth(libraries(MANNERS), 40), ...everyNth({ ...TRANSFER_MANNERS, ...PARTS_MANNERS }, 6)])(
  'a service that $name keeps its contract',
  async ({ candidate, seed }) => {
    const trial = await tryOut(candidate, seed, { include: candidate.where });
    expect(trial).toMatchObject({ isComplete: true, failures: 0 });
  },
  2 * LONGEST_MS,
);
