/**
 * Runs the contract tests against every service of the catalogue, and prints the findings by kind:
 * `npx tsx --conditions=source packages/contract-tests/tests/seeded/matrix.ts [--kind state] [--name "rounds ids"]
 * [--seeds 1] [--texts] [--whole]`. With `--whole` each run is about the whole contract, which takes hours.
 */
import { parseArgs } from 'node:util';
import { renderTable } from '@trellis/contract-tests/internal';
import { BUGS } from './bugs/bugs.ts';
import { PARTS_MANNERS } from './bugs/parts.ts';
import { TRANSFER_MANNERS } from './bugs/transfer.ts';
import { type Candidate, type Candidates, libraries } from './candidate.ts';
import { MANNERS } from './manners/manners.ts';
import { lookEverywhereFor, lookFor, SEEDS, type Trial, tryOut } from './trial.ts';

const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    name: { type: 'string' },
    seeds: { type: 'string', default: String(SEEDS.length) },
    texts: { type: 'boolean', default: false },
    whole: { type: 'boolean', default: false },
  },
});

const seeds = SEEDS.slice(0, Number(values.seeds));
const rows: string[][] = [];

/** Tries services with every seed, and prints those that it went wrong with. */
const tryAll = async (
  kind: string,
  candidates: Candidates,
  isWrong: (
    candidate: Candidate,
    seed: number,
  ) => Promise<Pick<Trial, 'text' | 'cpu'> & { readonly isWrong: boolean }>,
): Promise<void> => {
  if (kind !== (values.kind ?? kind)) return;
  const names = Object.keys(candidates).filter((name) => name === (values.name ?? name));
  const wrong = new Set<string>();
  let cpu = 0;
  for (const [nth, name] of names.entries()) {
    console.error(`${kind}: ${nth + 1} of ${names.length}: a service that ${name}`); // a kind takes minutes
    const candidate = candidates[name];
    const failed: number[] = [];
    for (const seed of candidate ? seeds : []) {
      const trial = candidate && (await isWrong(candidate, seed));
      cpu += trial?.cpu ?? 0;
      if (trial?.isWrong) failed.push(seed);
      if (trial && (values.texts || (trial.isWrong && trial.text))) console.log(trial.text.slice(0, 3000));
    }
    if (failed.length === 0) continue;
    wrong.add(name);
    console.log(`${kind}: a service that ${name}: wrong with ${failed.length} of ${seeds.length} seeds`);
  }
  rows.push([kind, `${names.length - wrong.size}`, `${names.length}`, cpu.toFixed(0)]);
  if (wrong.size > 0) process.exitCode = 1;
};

for (const [kind, { phase, bugs }] of Object.entries(BUGS))
  await tryAll(kind, bugs, async (bug, seed) => {
    const { isFound, ...trial } = values.whole
      ? await lookEverywhereFor(bug, seed)
      : await lookFor(bug, phase, seed);
    return { ...trial, isWrong: !isFound };
  });
await tryAll(
  'right services',
  { ...TRANSFER_MANNERS, ...PARTS_MANNERS, ...libraries(MANNERS) },
  async (service, seed) => {
    const trial = await tryOut(service, seed, { include: values.whole ? [] : service.where });
    return { ...trial, isWrong: !trial.isComplete || trial.failures > 0 };
  },
);
console.log(renderTable(['kind', 'right', 'of', 'CPU s'], rows));
